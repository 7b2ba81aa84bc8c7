package io.github.vertxrdma.provider.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files of the meeting folder that are mapped, and channels of the JDK: without native access, and on other systems than Linux. */
final class ChannelSharing implements Sharing {
  private final MeetingFolder folder;

  ChannelSharing(MeetingFolder folder) {
    this.folder = folder;
  }

  /** The number of this user. @throws IOException where the system does not tell */
  static long userId() throws IOException {
    Path own = Path.of("/proc/self");
    try {
      return ((Number) Files.getAttribute(Files.exists(own) ? own : Path.of(System.getProperty("user.home")), "unix:uid")).longValue();
    } catch (UnsupportedOperationException | IllegalArgumentException e) {
      throw new IOException("files have no owner here that could be checked", e);
    }
  }

  @Override
  public String dialect() {
    return " (mapped files)";
  }

  @Override
  public boolean mapsRegions() {
    return false;
  }

  @Override
  public boolean hasDescriptors() {
    return false;
  }

  @Override
  public SharedFile create(long bytes, boolean writable) {
    return NamedFile.create(NamedFiles.in(folder), bytes, writable);
  }

  /** In no file: Java can free one with an arena, and cannot take it back from a peer. */
  @Override
  public MemorySegment allocate(long bytes, boolean written, Arena arena) {
    return arena.allocate(bytes, SharedFile.PAGE);
  }

  @Override
  public SocketSet sockets() {
    return new ChannelSet(folder);
  }
}
