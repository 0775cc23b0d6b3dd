#ifndef TEAM_PTHREADS_H
#define TEAM_PTHREADS_H

/* How many parts, of all teams so far, another thread did than the one that called. */
int team_parts_by_others(void);

#endif
