/**
 * The checks of {@code ./rdma doctor}. Each is a small class; what it reads of the machine comes through
 * {@link io.github.vertxrdma.cli.machine.Machine}, so that tests can make it up.
 */
package io.github.vertxrdma.cli.doctor;
