#ifndef LDP_PRIVNBINOM_H
#define LDP_PRIVNBINOM_H
double ldp_privnbinom_log_pmf(double k, double mu, double excess, double alpha);
#endif
