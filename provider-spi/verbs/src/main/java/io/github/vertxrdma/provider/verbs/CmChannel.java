package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Scratch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Event channel of the connection manager for one completion queue; rdma_create_event_channel(3). Acknowledges each event before it is
 * handled.
 */
final class CmChannel {
  /** Maximum number of events handled in one poll, so that many connects do not delay messages. */
  private static final int MOST = 64;

  private final VerbsDomain domain;
  private final RdmaCm cm;
  private final long channel;
  /** Receivers of events by id. */
  final Map<Long, Consumer<CmEvent>> receivers = new ConcurrentHashMap<>();
  final List<CmListener> listeners = new ArrayList<>();
  private final long taken = Memory.allocate(Long.BYTES);

  private CmChannel(VerbsDomain domain, long channel) {
    this.domain = domain;
    this.cm = domain.cm();
    this.channel = channel;
    FileDescriptor.nonBlocking(fd());
  }

  /** Opens a channel. Returns null if this process may not use the connection manager, as in many containers. */
  static CmChannel open(VerbsDomain domain) {
    long channel = Calls.pointer(domain.cm().createEventChannel);
    int errno = channel == 0 ? Errno.last() : 0;
    if (DeviceFiles.reason(errno) == ProviderException.Reason.LIMIT) {
      throw new ProviderException(ProviderException.Reason.LIMIT, errno, "cannot create an event channel of the connection manager for "
        + domain.device().name() + ": " + Errno.describe(errno) + (errno == Errno.EMFILE ? ". Raise 'ulimit -n'" : ""));
    }
    return channel == 0 ? null : new CmChannel(domain, channel);
  }

  int fd() {
    return Memory.getInt(channel + CmLayout.CHANNEL_FD);
  }

  long createId(Consumer<CmEvent> to) {
    try (Scratch made = Scratch.of(Long.BYTES)) {
      if (Calls.number(cm.createId, channel, made.address(), 0, CmLayout.PS_TCP) != 0) {
        throw Errno.failure(ProviderException.Reason.LIMIT, "cannot create a connection id on " + domain.device().name());
      }
      long id = Memory.getLong(made.address());
      receivers.put(id, to);
      NativeObjects.made(NativeObjects.Kind.CONNECTION_ID);
      return id;
    }
  }

  void migrate(long id, CmChannel from, Consumer<CmEvent> to) {
    receivers.put(id, to);
    if (from == this) {
      return;
    }
    if (Calls.number(cm.migrateId, id, channel) != 0) {
      receivers.remove(id);
      throw Errno.failure(ProviderException.Reason.OTHER,
        "cannot move a connection request to the event channel of another thread on " + domain.device().name());
    }
    from.receivers.remove(id, from.receivers.get(id));
  }

  void destroyId(long id) {
    forgetId(id).run();
  }

  /** Stops delivering an id's events. Returns a task that destroys the id, which must run before this channel is closed. */
  Runnable forgetId(long id) {
    receivers.remove(id);
    return () -> destroy(id);
  }

  private void destroy(long id) {
    Calls.number(cm.destroyId, id);
    NativeObjects.destroyed(NativeObjects.Kind.CONNECTION_ID);
  }

  /** Stops delivering an id's events. Returns a task that destroys the id and blocks until the peer answers. */
  Runnable abandonId(long id) {
    receivers.remove(id);
    // Moves the id to an event channel of its own, because this channel may be closed before the returned task runs.
    long last = Calls.pointer(cm.createEventChannel);
    if (last == 0 || Calls.number(cm.migrateId, id, last) != 0) {
      if (last != 0) {
        Calls.pointer(cm.destroyEventChannel, last);
      }
      return () -> destroy(id);
    }
    return () -> {
      destroy(id);
      Calls.pointer(cm.destroyEventChannel, last);
    };
  }

  void turn() {
    for (int i = 0; i < MOST && Calls.number(cm.getCmEvent, channel, taken) == 0; i++) {
      long pointer = Memory.getLong(taken);
      CmEvent event = CmEvent.copy(pointer);
      Calls.number(cm.ackCmEvent, pointer);
      if (event.type() == CmEvent.Type.CONNECT_REQUEST) {
        NativeObjects.made(NativeObjects.Kind.CONNECTION_ID);
      }
      Consumer<CmEvent> to = receivers.get(event.type() == CmEvent.Type.CONNECT_REQUEST ? event.listenId() : event.id());
      if (to != null) {
        to.accept(event);
      } else if (event.type() == CmEvent.Type.CONNECT_REQUEST) {
        destroy(event.id());
      }
    }
  }

  void closeListeners() {
    for (CmListener listener : List.copyOf(listeners)) {
      listener.close();
    }
  }

  void close() {
    for (Long id : List.copyOf(receivers.keySet())) {
      destroyId(id);
    }
    Calls.pointer(cm.destroyEventChannel, channel);
    Memory.free(taken);
  }
}
