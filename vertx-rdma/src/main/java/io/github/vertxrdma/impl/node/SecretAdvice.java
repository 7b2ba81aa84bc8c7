package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.impl.peers.ClusterSecret;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.Optional;

final class SecretAdvice {
  private static final Logger LOG = LoggerFactory.getLogger(SecretAdvice.class);

  private final DirectoryBackend directory;
  private final ClusterSecret secret;
  private boolean logged;

  private SecretAdvice(DirectoryBackend directory, ClusterSecret secret) {
    this.directory = directory;
    this.secret = secret;
  }

  static void watch(DirectoryBackend directory, ClusterSecret secret) {
    directory.watchNodes(new SecretAdvice(directory, secret)::changed);
  }

  private void changed(DirectoryEvent event) {
    if (!logged && event.type() == DirectoryEvent.Type.ADDED) {
      advice(directory.self(), (NodeEntry) event.entry(), secret).ifPresent(advice -> {
        logged = true;
        LOG.warn(advice);
      });
    }
  }

  /** Returns a warning about a peer with a different cluster secret; empty if the secret is the same or unknown. */
  static Optional<String> advice(NodeEntry self, NodeEntry peer, ClusterSecret secret) {
    if (self.withSecretId(secret.id()).sharesSecret(peer)) {
      return Optional.empty();
    }
    if (secret.local() && isOfThisUser(self.process(), peer.process())) {
      return Optional.of("Node " + peer.words() + " of this user and host has another cluster secret than this node "
        + self.words() + " ("
        + secret + "), so no fabric is used between them: " + (self.process().sameFolder(peer.process())
          ? "the file was removed while one of them ran. Both will use the same secret again within seconds"
          : "its runtime folder is " + peer.process().folder() + " (device and inode), and that of this node is "
            + self.process().folder() + ", as happens with PrivateTmp= of systemd and with containers. Name one folder for "
            + "both with VERTX_RDMA_RUNTIME")
        + ". There may be more such nodes.");
    }
    String own = secret.local() ? ". Without either, each user on each host has a secret of its own" : "";
    return Optional.of("Node " + peer.words() + " on " + peer.process().host() + " has another cluster secret than this node "
      + self.words() + " (" + secret + "), so no fabric is used between them. Give all nodes the same: the name of its file in "
      + ClusterSecret.FILE_VARIABLE + ", or the secret itself in " + ClusterSecret.VARIABLE + own + ". There may be more such nodes.");
  }

  private static boolean isOfThisUser(ProcessIdentity self, ProcessIdentity peer) {
    return (self.host().equals(peer.host()) || self.sameFolder(peer)) && self.uid() == peer.uid() && !self.folder().isEmpty()
      && !peer.folder().isEmpty();
  }
}
