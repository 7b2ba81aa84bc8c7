package io.github.vertxrdma.impl.control;

/**
 * A peer is gone: everything shared with it under that epoch is to be torn down. Of a process that had several, one after the other, it is
 * said for each.
 *
 * @param nodeId who
 * @param epoch which run of it
 * @param orderly whether it said good-bye
 * @param certain whether its process is known to have ended, so that the directory can be told
 *                ({@link io.github.vertxrdma.directory.DirectoryBackend#declareDead}). Otherwise nothing acknowledged for too long: it
 *                may come back under the same epoch, and is then told that it was written off, so that both ends have torn down
 * @param writtenOff whether it is the peer that took this node for dead and tore down what they shared. It lives, and so does what it has
 *                   opened since then
 * @param cause why, in words
 */
public record PeerDeath(String nodeId, long epoch, boolean orderly, boolean certain, boolean writtenOff, String cause) {

  /** Makes the death of a peer that did not take this node for dead. */
  public PeerDeath(String nodeId, long epoch, boolean orderly, boolean certain, String cause) {
    this(nodeId, epoch, orderly, certain, false, cause);
  }
}
