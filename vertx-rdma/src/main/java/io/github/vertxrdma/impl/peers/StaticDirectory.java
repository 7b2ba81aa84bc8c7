package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.RegionEntry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.HostAndPort;
import java.util.List;

/** Directory of configured peers: entries, or control addresses ({@link PeerExchange}). */
final class StaticDirectory extends AbstractDirectory {
  private final PeerExchange peers;

  public StaticDirectory(Vertx vertx, DirectoryOptions options) {
    // Checked before super() claims a node id, which an exception would leak.
    if (options.getPath() != null) {
      throw new IllegalArgumentException("directory type '" + DirectoryOptions.STATIC + "' does not use a path, but the path "
        + options.getPath() + " is set. Set 'peers' or 'entries' instead, or set 'type' to "
        + "'" + DirectoryOptions.SAME_HOST + "', which uses the path as its folder");
    }
    List<HostAndPort> addresses = PeerExchange.addresses(options.getPeers());
    List<DirectoryEntry> entries = options.getEntries().stream().map(DirectoryEntry::fromJson).toList();
    super(vertx, new Object(), options.getNodeId());
    List<DirectoryEntry> given = entries.stream().filter(entry -> !entry.nodeId().equals(nodeId())).toList();
    peers = new PeerExchange(loop, addresses, given, cache, this::published, node -> false);
  }

  Future<DirectoryBackend> open() {
    return open(null);
  }

  @Override
  public String type() {
    return DirectoryOptions.STATIC;
  }

  @Override
  public void attach(ControlLinks links) {
    peers.attach(links);
  }

  @Override
  protected Future<Void> store(DirectoryEntry entry) {
    if (entry instanceof RegionEntry region) {
      String owner = cache.ownerOf(region, nodeId());
      if (owner != null) {
        return future(taken(region, owner));
      }
    }
    peers.announce(entry);
    if (self().controlPort() != 0) {
      peers.start();
    }
    return future(null);
  }

  @Override
  protected Future<Void> erase(DirectoryEntry entry) {
    peers.announceRemoval(entry);
    return future(null);
  }

  @Override
  protected Future<Void> release() {
    peers.close();
    return future(null);
  }
}
