package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * Sharing within a process, as quick as it is: files are arrays, and what is said lies in a queue. Memory for regions is Linux's, so that peers ask for
 * its file. All of it is used by one thread.
 */
final class MemorySharing implements Sharing {
  /** Messages taken at once, at most. */
  private static final int TURN = 4;

  /** By the identity of the file that has the listener's name. */
  private final Map<Object, Listening> listening = new HashMap<>();
  private int files;

  /** Files, on their way too, and mappings that were not given back. */
  int files() {
    return files;
  }

  /** A file that a stranger may send; no memory is needed for it before it is mapped. @param writable whether it can be mapped to be written */
  PeerFile file(long bytes, boolean writable) {
    return new FileUnderWay(bytes, writable, MemorySharing::zeroed);
  }

  /** A stranger's socket to the listener of a name. */
  MemorySocket connect(String path) {
    Listening there = listening.get(identity(path));
    if (there == null) {
      throw new ProviderException(Reason.REFUSED, "shm: nobody listens on " + path);
    }
    MemorySocket near = new MemorySocket();
    near.peer = new MemorySocket();
    near.peer.peer = near;
    there.waiting.add(near.peer);
    return near;
  }

  private static Object identity(String path) {
    try {
      return Files.readAttributes(Path.of(path), BasicFileAttributes.class).fileKey();
    } catch (IOException e) {
      throw new ProviderException(Reason.UNREACHABLE, "shm: " + e);
    }
  }

  private static MemorySegment zeroed(long bytes) {
    return MemorySegment.ofArray(new long[Math.toIntExact(bytes + Long.BYTES - 1 >> 3)]).asSlice(0, bytes);
  }

  @Override
  public String dialect() {
    return "";
  }

  @Override
  public boolean mapsRegions() {
    return true;
  }

  @Override
  public boolean hasDescriptors() {
    return false;
  }

  @Override
  public SharedFile create(long bytes, boolean writable) {
    return new MemoryFile(bytes);
  }

  @Override
  public MemorySegment allocate(long bytes, boolean written, Arena arena) {
    return AllocatedFile.allocate(bytes, written, arena);
  }

  @Override
  public SocketSet sockets() {
    return new MemorySockets();
  }

  /** A file, and its mapping. */
  private final class MemoryFile implements SharedFile {
    private final MemorySegment memory;
    private int users = 1;

    MemoryFile(long bytes) {
      memory = zeroed(bytes);
      files += 2;
    }

    @Override
    public MemorySegment memory() {
      return memory;
    }

    @Override
    public void unmap() {
      files--;
    }

    @Override
    public void hold() {
      users++;
    }

    @Override
    public void release() {
      files -= --users == 0 ? 1 : 0;
    }
  }

  private final class FileUnderWay implements PeerFile {
    private final long size;
    private final boolean writable;
    private final LongFunction<MemorySegment> memory;
    private boolean gone;

    FileUnderWay(long size, boolean writable, LongFunction<MemorySegment> memory) {
      this.size = size;
      this.writable = writable;
      this.memory = memory;
      files++;
    }

    @Override
    public Mapping map(long bytes, long most, boolean writes) {
      discard();
      long wanted = bytes == 0 ? size : bytes;
      if (size < wanted || bytes == 0 && size > most || writes && !writable) {
        throw new ProviderException(Reason.OTHER, "shm: the peer sent a file of " + size + " bytes for " + wanted);
      }
      files++;
      return new Mapping(memory.apply(wanted), () -> files--);
    }

    @Override
    public void discard() {
      files -= gone ? 0 : 1;
      gone = true;
    }
  }

  /** One end of a connection. */
  final class MemorySocket implements LocalSocket {
    private final ArrayDeque<Message.Received> came = new ArrayDeque<>();
    private MemorySocket peer;
    private boolean closed;

    /** Says bytes, of which there may be none. */
    void say(byte[] bytes, List<PeerFile> with) {
      if (peer.closed) {
        with.forEach(PeerFile::discard);
      } else {
        peer.came.add(new Message.Received(ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()), with));
      }
    }

    /** Throws away what it was told. */
    void forget() {
      came.forEach(Message.Received::discard);
      came.clear();
    }

    private boolean hasNews() {
      return !came.isEmpty() || peer.closed;
    }

    @Override
    public boolean isAdmittedTo(MeetingFolder folder) {
      return true;
    }

    @Override
    public String peer() {
      return "this user";
    }

    @Override
    public boolean send(Message message) {
      List<PeerFile> with = new ArrayList<>();
      message.files().forEach(file -> with.add(new FileUnderWay(file.memory().byteSize(), true, bytes -> file.memory().asSlice(0, bytes))));
      say(Arrays.copyOf(message.bytes().array(), message.bytes().position()), with);
      return !closed && !peer.closed;
    }

    @Override
    public boolean flush() {
      return !closed && !peer.closed;
    }

    @Override
    public int unsent() {
      return 0;
    }

    @Override
    public void wake() {
      send(Message.of(Message.WAKE));
    }

    @Override
    public Message.Received receive() {
      Message.Received next = came.poll();
      return next != null || !peer.closed ? next : new Message.Received(ByteBuffer.allocate(0), List.of());
    }

    @Override
    public void close() {
      closed = true;
      forget();
    }
  }

  private final class Listening implements ListenSocket {
    private final ArrayDeque<MemorySocket> waiting = new ArrayDeque<>();

    @Override
    public LocalSocket accept() {
      return waiting.poll();
    }

    @Override
    public void close() {
      listening.values().remove(this);
      waiting.forEach(MemorySocket::close);
      waiting.clear();
    }
  }

  /** Looks at all of its sockets in every poll. */
  private final class MemorySockets implements SocketSet {
    private final List<Entry> entries = new ArrayList<>();

    private record Entry(Watched socket, Pollable told) {
      boolean hasNews() {
        return socket instanceof MemorySocket connected ? !connected.closed && connected.hasNews() : !((Listening) socket).waiting.isEmpty();
      }
    }

    @Override
    public LocalSocket connect(String path) {
      return MemorySharing.this.connect(path);
    }

    @Override
    public ListenSocket listen(String path, int backlog) {
      try {
        Files.createFile(Path.of(path));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      Listening made = new Listening();
      listening.put(identity(path), made);
      return made;
    }

    @Override
    public void watch(Watched socket, Pollable told) {
      entries.add(new Entry(socket, told));
    }

    @Override
    public void unwatch(Watched socket, Pollable told) {
      entries.removeIf(entry -> entry.socket == socket && entry.told == told);
    }

    @Override
    public boolean receive(LocalSocket socket, Consumer<Message.Received> receiver) {
      MemorySocket mine = (MemorySocket) socket;
      for (int i = 0; i < TURN && !mine.closed && mine.hasNews(); i++) {
        receiver.accept(mine.receive());
      }
      return !mine.closed && mine.hasNews();
    }

    @Override
    public boolean poll() {
      boolean again = false;
      for (int i = 0; i < entries.size(); i++) {
        Entry entry = entries.get(i);
        if (entry.hasNews()) {
          entry.told.ready();
          again = true;
        }
      }
      return again;
    }

    @Override
    public boolean arm(long millis) {
      return entries.stream().noneMatch(Entry::hasNews);
    }

    @Override
    public void disarm() {
      // Nobody sleeps.
    }

    @Override
    public void disturb() {
      // Nobody sleeps.
    }

    @Override
    public int fd() {
      return -1;
    }

    @Override
    public void close() {
      entries.clear();
    }
  }
}
