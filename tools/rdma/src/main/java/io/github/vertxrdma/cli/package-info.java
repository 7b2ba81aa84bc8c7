/** Commands of the {@code ./rdma} launcher. */
package io.github.vertxrdma.cli;
