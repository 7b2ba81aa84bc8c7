package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.directory.EndpointDirectory;
import io.github.vertxrdma.impl.control.ControlLinks;
import io.github.vertxrdma.impl.control.PeerDeath;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkWatcher;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The open links of a node by peer: the first to a peer asks for the control connection that tells of its death, and its death ends them
 * all. Thread-safe.
 */
final class PeerLinks implements LinkWatcher {
  private static final Logger LOG = LoggerFactory.getLogger(PeerLinks.class);

  private final EndpointDirectory directory;
  private final Map<String, Set<Link>> links = new ConcurrentHashMap<>();
  private volatile ControlLinks control;

  PeerLinks(EndpointDirectory directory) {
    this.directory = directory;
  }

  void control(ControlLinks value) {
    control = value;
  }

  @Override
  public void opened(Link link) {
    String peer = link.peer().nodeId();
    boolean[] first = {false};
    links.compute(peer, (id, set) -> {
      first[0] = set == null;
      Set<Link> all = set == null ? new HashSet<>() : set;
      all.add(link);
      return all;
    });
    if (first[0] && !peer.equals(directory.nodeId())) {
      directory.node(peer).filter(entry -> entry.controlPort() != 0).ifPresent(entry -> control.link(entry).onFailure(cause ->
        LOG.warn("There is no control connection with node " + peer + ", so its death is noticed by silence only: " + cause.getMessage())));
    }
  }

  @Override
  public void over(Link link) {
    links.computeIfPresent(link.peer().nodeId(), (id, set) -> {
      set.remove(link);
      return set.isEmpty() ? null : set;
    });
  }

  /** A control connection found out. */
  void died(PeerDeath death) {
    if (!death.orderly()) {
      LOG.warn("Node " + death.nodeId() + " is lost: " + death.cause());
    }
    // One that was only silent may come back under the same epoch; the directory judges for itself whether it is there.
    if (death.certain()) {
      directory.declareDead(death.nodeId(), death.epoch());
    }
    List<Link> gone = new ArrayList<>();
    links.computeIfPresent(death.nodeId(), (id, set) -> {
      set.stream().filter(link -> link.peer().epoch() == death.epoch()).forEach(gone::add);
      return set;
    });
    gone.forEach(link -> link.loop().eventLoop().execute(() -> link.peerDead(death.cause())));
  }
}
