/** Measures vertx-rdma and compared programs in the same run: {@code ./rdma perf}. */
package io.github.vertxrdma.perf;
