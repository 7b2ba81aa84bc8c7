/** Micrometer meters of RDMA nodes, sampled from their statistics, and of servers of remote functions. */
package io.github.vertxrdma.metrics;
