// The report: what was found in a trace and what the clock did to it [R fig. 6.3].
#pragma once

#include "clc/analysis.hpp"
