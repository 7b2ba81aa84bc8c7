/** Micrometer meters: those of RDMA, sampled from a node's statistics, and those that Vert.x's metrics SPI tells of. */
package io.github.vertxrdma.metrics;
