/* The parts of the suite, one file each. */
#ifndef SUITE_H
#define SUITE_H

#include "check.h"

void suite_null(void);
void suite_settings(void);
void suite_calls(void);
void suite_release(void);

#endif
