package io.github.vertxrdma.impl.peers;

/**
 * Death or GOODBYE of a peer, reported for each epoch of its process. Everything shared with the peer under the epoch is closed.
 *
 * @param certain true if the peer will not return under this epoch; otherwise it may, and then closes everything too
 * @param writtenOff true if the peer, which lives, has declared this node dead
 */
public record PeerDeath(String nodeId, long epoch, boolean orderly, boolean certain, boolean writtenOff, String cause) {
}
