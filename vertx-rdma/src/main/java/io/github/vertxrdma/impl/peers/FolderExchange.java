package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Exchanges entries with the nodes of a {@link NodeFolder}, which confirm them. */
final class FolderExchange extends PeerExchange {
  static final long CONFIRM_MILLIS = 5_000;

  private final BiFunction<RegionEntry, String, String> owner;
  private final BiConsumer<ControlLink, String> held;
  /** Result of the {@link #settle} that is scheduled; null if none is. Guarded by this. */
  private Promise<Void> next;

  /** {@code owner} returns the node that keeps the name of another node's region, or null. {@code held}: a peer had the region first. */
  FolderExchange(ContextInternal loop, DirectoryCache cache, Supplier<List<DirectoryEntry>> published,
    BiFunction<RegionEntry, String, String> owner, BiConsumer<ControlLink, String> held) {
    super(loop, List.of(), List.of(), cache, published, node -> false);
    this.owner = owner;
    this.held = held;
  }

  @Override
  PeerEntries entriesOf(String nodeId, LongConsumer total) {
    return new PeerEntries(nodeId, cache, region -> owner.apply(region, nodeId), false, total);
  }

  @Override
  void messageReceived(ControlLink link, Buffer message) {
    byte type = message.length() == 0 ? 0 : message.getByte(0);
    EntrySender sender = senders.get(link.nodeId());
    if (type < EntrySender.CONFIRM || type > EntrySender.HELD || sender == null) {
      super.messageReceived(link, message);
    } else if (type == EntrySender.HELD) {
      held.accept(link, message.getString(1, message.length()));
    } else if (message.length() != EntrySender.CONFIRMATION) {
      throw new IllegalArgumentException("invalid length of a confirmation: " + message.length() + " bytes");
    } else if (type == EntrySender.CONFIRM) {
      sender.confirm(message.getInt(1));
    } else {
      sender.confirmedBy(message.getInt(1));
    }
  }

  /** Returns the socket names of connected nodes, except visitors, which have none. Any thread. */
  Set<String> sockets() {
    return links.values().stream().map(ControlLink::peer).filter(peer -> peer.controlPort() != 0).map(NodeEntry::controlHost)
      .collect(Collectors.toSet());
  }

  /** Completes when the connected nodes have confirmed this node's entries, or after {@link #CONFIRM_MILLIS}. Any thread. */
  synchronized Future<Void> settled() {
    if (next == null) {
      next = loop.promise();
      if (!LoopCall.execute(loop, this::settle)) {
        next = null;
        return Future.succeededFuture();
      }
    }
    return next.future();
  }

  private void settle() {
    Promise<Void> settled;
    synchronized (this) {
      settled = next;
      next = null;
    }
    Map<EntrySender, Future<Void>> all = new HashMap<>();
    senders.forEach((nodeId, sender) -> {
      ControlLink link = link(nodeId);
      // A FolderVisitor has no address and only reads.
      if (link != null && link.peer().controlPort() != 0) {
        all.put(sender, sender.confirmed());
      }
    });
    Promise<Void> confirmed = loop.promise();
    Future.join(List.copyOf(all.values())).<Void>mapEmpty().onComplete(confirmed);
    confirmed.future().timeout(CONFIRM_MILLIS, TimeUnit.MILLISECONDS).onComplete(done -> {
      all.forEach((sender, one) -> {
        if (!one.isComplete()) {
          sender.late();
        }
      });
      settled.complete();
    });
  }
}
