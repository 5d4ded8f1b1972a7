#include "clc/report.hpp"
