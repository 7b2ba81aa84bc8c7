package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Scratch;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads the connection events of one completion queue, and errors of operations that the provider itself started; fi_eq(3). */
final class EventQueue extends NativeQueue implements AutoCloseable {
  private static final int DATA = 1024;
  private static final int READS = 3;

  interface Sink {
    /** Called with an event. {@code info} is the fi_info of a connection request, which the sink frees, otherwise 0. */
    void event(int event, long info, byte[] data);

    /** Called with a positive error number and private data. */
    void failed(int errno, String words, byte[] data);
  }

  /** File descriptor, or -1. */
  final int fd;
  private final Map<Long, Sink> sinks = new HashMap<>();
  private final ArrayDeque<Event> waiting = new ArrayDeque<>();

  EventQueue(Libfabric library, Fid fabric, boolean wait) {
    super(library, open(library, fabric, wait), "fi_eq_", 8 + Structs.EQ_CM_DATA + DATA, Structs.EQ_OPS, Structs.EQ_READ,
      Structs.EQ_READERR, Structs.EQ_STRERROR);
    fd = wait ? QueueFd.fdOf(fid) : -1;
  }

  private static Fid open(Libfabric library, Fid fabric, boolean wait) {
    try (Scratch attr = Scratch.of(Structs.ROOM); Scratch out = Scratch.of(Structs.ROOM)) {
      Memory.putLong(attr.address() + Structs.EQ_ATTR_SIZE, 1024);
      Memory.putInt(attr.address() + Structs.EQ_ATTR_WAIT_OBJ, wait ? Fi.WAIT_FD : Fi.WAIT_NONE);
      FabricErrors.check(library, Calls.number(fabric.require(library, Structs.FABRIC_OPS, Structs.FABRIC_EQ_OPEN, "fi_eq_open"),
        fabric.address(), attr.address(), out.address(), 0), "fi_eq_open");
      return new Fid("event queue", Memory.getLong(out.address()), fabric);
    }
  }

  void add(Fid object, Sink sink) {
    sinks.put(object.address(), sink);
  }

  /** Sets the receiver of events of objects that were not added; null for none. */
  void others(Sink sink) {
    sinks.put(0L, sink);
  }

  /** Removes an object and its unread events, because a later object may have the same address. */
  void remove(Fid object) {
    sinks.remove(object.address());
    waiting.removeIf(event -> {
      boolean removed = event.fid == object.address();
      if (removed) {
        drop(event);
      }
      return removed;
    });
  }

  private record Event(long fid, int kind, long info, int errno, String words, byte[] data) {
  }

  void poll() {
    fetch();
    for (Event event; (event = waiting.poll()) != null;) {
      deliver(event);
    }
  }

  /** Delivers the waiting events of an object. Called before the object is closed. */
  void poll(Fid object) {
    // A provider may accept a connection in one read and report its request only in a later read.
    for (int i = 0; i < READS; i++) {
      fetch();
    }
    List<Event> its = waiting.stream().filter(event -> event.fid == object.address()).toList();
    waiting.removeAll(its);
    its.forEach(this::deliver);
  }

  private void deliver(Event event) {
    Sink sink = sinks.containsKey(event.fid) ? sinks.get(event.fid) : sinks.get(0L);
    if (sink == null) {
      drop(event);
    } else if (event.errno != 0) {
      sink.failed(event.errno, event.words, event.data);
    } else {
      sink.event(event.kind, event.info, event.data);
    }
  }

  private void drop(Event event) {
    if (event.info != 0) {
      library.freeInfo(event.info);
    }
  }

  boolean ends(Fid endpoint) {
    fetch();
    return waiting.stream().anyMatch(event -> event.fid == endpoint.address() && (event.errno != 0 || event.kind == Fi.SHUTDOWN));
  }

  private void fetch() {
    for (;;) {
      long n = Calls.plain(read, fid.address(), entries, entries + 8, Structs.EQ_CM_DATA + DATA, 0, 0);
      if (n == -Fi.EAVAIL) {
        if (!readError()) {
          return;
        }
        fetchError();
      } else if (n < Structs.EQ_CM_DATA) {
        return;
      } else {
        int event = Memory.getInt(entries);
        long info = event == Fi.CONNREQ ? Memory.getLong(entries + 8 + Structs.EQ_CM_INFO) : 0;
        byte[] data = Memory.getBytes(entries + 8 + Structs.EQ_CM_DATA, (int) Math.min(DATA, n - Structs.EQ_CM_DATA));
        waiting.add(new Event(Memory.getLong(entries + 8 + Structs.EQ_CM_FID), event, info, 0, null, data));
      }
    }
  }

  private void fetchError() {
    int errno = Math.abs(Memory.getInt(error + Structs.EQ_ERR_ERR));
    long dataAddress = Memory.getLong(error + Structs.EQ_ERR_DATA);
    long dataSize = Memory.getLong(error + Structs.EQ_ERR_DATA_SIZE);
    byte[] data = dataAddress == 0 || dataSize <= 0 ? new byte[0] : Memory.getBytes(dataAddress, (int) Math.min(DATA, dataSize));
    waiting.add(new Event(Memory.getLong(error + Structs.EQ_ERR_FID), 0, 0, errno == 0 ? Errno.EIO : errno,
      describe(errno, Memory.getInt(error + Structs.EQ_ERR_PROV_ERRNO), dataAddress), data));
  }

  @Override
  public void close() {
    waiting.forEach(this::drop);
    destroy();
  }
}
