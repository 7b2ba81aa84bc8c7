/** Measures vertx-rdma and its peers in the same run: {@code ./rdma perf}. */
package io.github.vertxrdma.perf;
