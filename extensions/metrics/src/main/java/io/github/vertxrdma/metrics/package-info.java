/** Micrometer meters: those of RDMA, sampled from a node's statistics, and those of Vert.x's metrics SPI. */
package io.github.vertxrdma.metrics;
