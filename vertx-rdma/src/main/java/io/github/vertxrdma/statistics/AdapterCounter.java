package io.github.vertxrdma.statistics;

/**
 * Counter of a network adapter.
 *
 * @param name as its driver names it
 * @param value in the counter's own unit, which is 4 bytes for port_xmit_data and port_rcv_data; see sysfs-class-infiniband in Linux's
 * Documentation/ABI/stable
 */
public record AdapterCounter(String name, long value) {
}
