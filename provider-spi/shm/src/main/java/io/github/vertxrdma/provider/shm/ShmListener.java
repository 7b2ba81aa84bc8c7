package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** A socket in the meeting folder; each that connects becomes a connection request when it has said what it wants. */
final class ShmListener implements Listener, Pollable {
  private static final int BACKLOG = 1024;
  private static final int PAUSE_MILLIS = 100;

  private final ShmQueue queue;
  private final EndpointOptions options;
  private final ListenHandler handler;
  private final EndpointAddress localAddress;
  private final String path;
  private final int fd;
  /** Requests that are not answered; those are answered on other threads too. */
  private final Set<ShmRequest> requests = ConcurrentHashMap.newKeySet();
  private boolean closed;

  private ShmListener(ShmQueue queue, EndpointAddress address, String path, int fd, EndpointOptions options, ListenHandler handler) {
    this.queue = queue;
    this.localAddress = address;
    this.path = path;
    this.fd = fd;
    this.options = options;
    this.handler = handler;
  }

  static ShmListener open(ShmQueue queue, EndpointAddress local, EndpointOptions options, ListenHandler handler) {
    EndpointAddress address = local != null ? local
      : EndpointAddress.of(ProcessHandle.current().pid() + "-" + Long.toHexString(ThreadLocalRandom.current().nextLong() >>> 16));
    MeetingFolder folder = queue.domain().folder();
    String path = folder.socket(address);
    int fd = Libc.socket();
    try {
      int errno = Libc.bind(fd, path);
      if (errno == Errno.ENOENT) {
        // Somebody cleaned the temporary folder up.
        folder.restore();
        errno = Libc.bind(fd, path);
      }
      if (errno == Errno.EADDRINUSE && isAbandoned(path)) {
        errno = Libc.bind(fd, path);
      }
      if (errno != 0) {
        throw new ProviderException(errno == Errno.EADDRINUSE ? Reason.ADDRESS_IN_USE : Reason.OTHER, errno, "shm: cannot listen on "
          + address + " (" + path + "): " + (errno == Errno.EADDRINUSE ? "another process does" : Errno.describe(errno)));
      }
      folder.open(path);
      Libc.listen(fd, BACKLOG);
      ShmListener listener = new ShmListener(queue, address, path, fd, options, handler);
      queue.watch(fd, listener);
      return queue.add(listener);
    } catch (IOException e) {
      FileDescriptor.close(fd);
      throw new ProviderException(Reason.PERMISSION, "shm: cannot listen on " + address + " (" + path + ") for a group: " + e, e);
    } catch (RuntimeException e) {
      FileDescriptor.close(fd);
      throw e;
    }
  }

  /** Removes a socket that a process left behind when it was killed: nobody listens on it. */
  private static boolean isAbandoned(String path) {
    int probe = Libc.socket();
    try {
      if (Libc.connect(probe, path) != Errno.ECONNREFUSED) {
        return false;
      }
      Files.deleteIfExists(Path.of(path));
      return true;
    } catch (IOException e) {
      return false;
    } finally {
      FileDescriptor.close(probe);
    }
  }

  ShmQueue queue() {
    return queue;
  }

  @Override
  public EndpointAddress localAddress() {
    return localAddress;
  }

  @Override
  public void ready() {
    while (!closed) {
      int accepted = Libc.accept(fd);
      if (accepted < 0) {
        // Out of descriptors or memory: those that wait stay in the backlog for a while, and nobody asks again at once.
        if (accepted != -Errno.EAGAIN && accepted != -Errno.EINTR && accepted != -Errno.ECONNABORTED) {
          queue.unwatch(fd, this);
          queue.deadline(PAUSE_MILLIS, () -> {
            if (!closed) {
              queue.watch(fd, this);
            }
          });
        }
        return;
      }
      if (!queue.domain().folder().admits(accepted)) {
        FileDescriptor.close(accepted);
        continue;
      }
      ShmRequest request = new ShmRequest(this, new LocalSocket(accepted));
      requests.add(request);
      request.start(options.connectTimeoutMillis());
    }
  }

  /** It has said what it wants. */
  void complete(ShmRequest request) {
    queue.arrived(() -> {
      if (!closed) {
        handler.connectionRequest(request);
      }
    });
  }

  void forget(ShmRequest request) {
    requests.remove(request);
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      Files.deleteIfExists(Path.of(path));
    } catch (IOException e) {
      // The next that listens on the name removes it.
    }
    queue.unwatch(fd, this);
    FileDescriptor.close(fd);
    List.copyOf(requests).forEach(ShmRequest::abandon);
    queue.remove(this);
  }
}
