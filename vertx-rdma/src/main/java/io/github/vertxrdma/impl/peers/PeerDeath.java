package io.github.vertxrdma.impl.peers;

/**
 * Death or good-bye of a peer: everything shared with it under the epoch is torn down. Reported for each epoch of a process.
 *
 * @param certain true if the process has ended. Otherwise the peer may come back under the same epoch, and then tears down as well
 * @param writtenOff true if the peer, which lives, has declared this node dead
 */
public record PeerDeath(String nodeId, long epoch, boolean orderly, boolean certain, boolean writtenOff, String cause) {
}
