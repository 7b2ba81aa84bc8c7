package io.github.vertxrdma.provider.shm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Calls of Linux: files without a name whose descriptors are sent, and sockets in an epoll(7). Needs native access. */
final class LinuxSharing implements Sharing {

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
    return true;
  }

  @Override
  public SharedFile create(long bytes, boolean writable) {
    return AnonymousFile.create(bytes, writable);
  }

  @Override
  public MemorySegment allocate(long bytes, boolean written, Arena arena) {
    return AllocatedFile.allocate(bytes, written, arena);
  }

  @Override
  public SocketSet sockets() {
    return new DescriptorSet();
  }
}
