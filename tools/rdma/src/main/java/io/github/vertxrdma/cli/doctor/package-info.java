/**
 * Checks of {@code ./rdma doctor}. Each is a small class that reads the machine through {@link io.github.vertxrdma.cli.machine.Machine}, so
 * that tests can simulate it.
 */
package io.github.vertxrdma.cli.doctor;
