package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.SocketCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** Tries each system call that shared memory needs, because a sandbox may forbid some. */
final class SharingProbe {
  /** Error codes that may be temporary, such as lack of memory. */
  private static final Set<Integer> PASSING = Set.of(Errno.ENOENT, Errno.EINTR, Errno.EAGAIN, Errno.ENOMEM, Errno.ENFILE, Errno.EMFILE,
    Errno.ENOSPC, Errno.ENOBUFS, Errno.ETOOMANYREFS, Errno.ECONNREFUSED);
  private static final int SEALS = SystemCalls.SEAL_SHRINK | SystemCalls.SEAL_GROW;

  private SharingProbe() {
  }

  /** Returns the forbidden call and a remedy, or null if all calls work. */
  static Discovery.Unavailable obstacle(MeetingFolder folder) {
    String calls = "epoll_create1, timerfd_create and eventfd";
    try {
      new DescriptorSet().close();
      calls = "memfd_create, fallocate and mmap";
      AnonymousFile file = AnonymousFile.create(1, true);
      try {
        return (SystemCalls.seals(file.fd) & SEALS) == SEALS ? ofSockets(folder, file)
          : refused("fcntl", "the system refuses F_ADD_SEALS of fcntl, so a peer could shrink a file that this process has mapped");
      } finally {
        file.unmap();
        file.release();
      }
    } catch (ProviderException e) {
      return PASSING.contains(e.errno()) ? null : refused(calls, ShmProvider.withoutPrefix(e.getMessage()));
    }
  }

  private static Discovery.Unavailable ofSockets(MeetingFolder folder, AnonymousFile file) {
    try {
      return trySockets(folder, file);
    } catch (ProviderException e) {
      return PASSING.contains(e.errno()) ? null : new Discovery.Unavailable(ShmDevice.NAME, ShmProvider.withoutPrefix(e.getMessage()),
        "permit sockets of AF_UNIX in the seccomp profile of the container (RestrictAddressFamilies= of a systemd unit)");
    }
  }

  private static Discovery.Unavailable trySockets(MeetingFolder folder, AnonymousFile file) {
    Path path = folder.path().resolve(".probe-" + Long.toHexString(ThreadLocalRandom.current().nextLong()));
    int listening = SystemCalls.socket();
    try {
      int errno = SystemCalls.bind(listening, path.toString());
      if (errno != 0) {
        return PASSING.contains(errno) ? null : new Discovery.Unavailable(ShmDevice.NAME, "cannot create a socket in "
          + folder.path() + ": "
          + Errno.describe(errno),
          "name a folder where processes may create sockets, with VERTX_RDMA_RUNTIME or, for a group, with vertx.rdma."
            + MeetingFolder.FOLDER);
      }
      SystemCalls.listen(listening, 1);
      int connecting = SystemCalls.socket();
      DescriptorSocket connected = new DescriptorSocket(connecting);
      try {
        errno = SystemCalls.connect(connecting, path.toString());
        int accepted = errno != 0 ? -errno : SocketCalls.accept(listening);
        return accepted >= 0 ? ofPair(connected, accepted, file) : PASSING.contains(-accepted) ? null
          : unconnectable(folder, -accepted);
      } finally {
        connected.close();
      }
    } finally {
      FileDescriptor.close(listening);
      delete(path);
    }
  }

  private static Discovery.Unavailable unconnectable(MeetingFolder folder, int errno) {
    String reason = "cannot connect to a socket in " + folder.path() + ": " + Errno.describe(errno);
    return errno == Errno.EACCES
      ? new Discovery.Unavailable(ShmDevice.NAME, reason, "set a umask that does not remove this user's own rights on files, or "
        + "permit sockets in the security policy of the system (SELinux, AppArmor)")
      : refused("connect and accept4", reason);
  }

  private static Discovery.Unavailable ofPair(DescriptorSocket connected, int accepted, AnonymousFile file) {
    try (Inbox inbox = new Inbox(1)) {
      if (SystemCalls.peerUser(accepted) < 0) {
        return refused("getsockopt", "the system refuses SO_PEERCRED of getsockopt, so the user of a peer cannot be determined");
      }
      SocketMessage message = SocketMessage.of(SocketMessage.WAKE, file);
      if (!connected.send(message)) {
        return refused("sendmsg", "the system refuses to send a file descriptor with sendmsg");
      }
      if (connected.unsent() > 0 || inbox.fill(accepted) == 0) {
        return null;
      }
      SocketMessage.Received received = inbox.get(0);
      received.discard();
      if (received == SocketMessage.Received.TRUNCATED || received.has(0, 1)) {
        return null;
      }
      int again = received.bytes().length > 0 ? 0 : inbox.receive(accepted);
      return PASSING.contains(-again) ? null : again < 0 ? refused("recvmmsg", "recvmmsg failed: " + Errno.describe(-again))
        : refused("recvmmsg", "a file descriptor that is sent over a socket does not arrive");
    } finally {
      FileDescriptor.close(accepted);
    }
  }

  private static Discovery.Unavailable refused(String calls, String reason) {
    return new Discovery.Unavailable(ShmDevice.NAME, reason, "permit " + calls
      + " in the seccomp profile of the container (SystemCallFilter= of a systemd unit)");
  }

  private static void delete(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      // Another process will remove the abandoned socket.
    }
  }
}
