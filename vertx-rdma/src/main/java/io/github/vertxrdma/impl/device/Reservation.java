package io.github.vertxrdma.impl.device;

/**
 * Receives set aside for a link: it posts them, or its loop takes them back.
 *
 * @param grant receives for the peer, which count as granted already
 * @param slots receive slots of the loop's pool that will be posted for them
 */
public record Reservation(Grant grant, int slots) {
}
