package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.SocketAddresses;
import java.io.IOException;
import java.net.InetSocketAddress;

final class LinuxAddresses {
  private LinuxAddresses() {
  }

  interface Call {
    int with(int fd, long address, int length);
  }

  static int call(Call call, int fd, InetSocketAddress to) {
    long address = Memory.allocate(SocketAddresses.ROOM);
    try {
      return call.with(fd, address, SocketAddresses.write(address, to));
    } finally {
      Memory.free(address);
    }
  }

  /** @param peer true for the remote address */
  static InetSocketAddress of(int fd, boolean peer) throws IOException {
    long address = Memory.allocate(SocketAddresses.ROOM + 8);
    long length = address + SocketAddresses.ROOM;
    try {
      Memory.putInt(length, SocketAddresses.ROOM);
      int done = LinuxCalls.name(fd, peer, address, length);
      InetSocketAddress found = done < 0 ? null : SocketAddresses.read(address, SocketAddresses.ROOM);
      if (found == null) {
        throw LinuxCalls.failure(done < 0 ? -done : Errno.EINVAL);
      }
      return found;
    } finally {
      Memory.free(address);
    }
  }
}
