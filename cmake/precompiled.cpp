// Owns the precompiled headers of cmake/precompiled.cmake.
