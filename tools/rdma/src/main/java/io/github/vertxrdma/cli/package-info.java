/** The commands behind the {@code ./rdma} launcher. */
package io.github.vertxrdma.cli;
