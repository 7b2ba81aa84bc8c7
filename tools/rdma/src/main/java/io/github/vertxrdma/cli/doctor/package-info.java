/** Checks of {@code ./rdma doctor}. They read the machine through {@link io.github.vertxrdma.cli.machine.Machine}. */
package io.github.vertxrdma.cli.doctor;
