package io.github.vertxrdma.impl.link;

/**
 * What is set aside for a link that is being made: a link uses it, or its loop takes it back.
 *
 * @param grant what the link will grant its peer; of a shared queue it counts as granted already
 * @param slots receive slots of the loop's pool that will be posted for it
 */
record Reservation(Grant grant, int slots) {
}
