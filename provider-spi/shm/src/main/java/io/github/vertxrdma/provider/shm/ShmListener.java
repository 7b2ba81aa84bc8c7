package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.software.SoftwareListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

/** A socket in the meeting folder; each that connects becomes a connection request when it has said what it wants. */
final class ShmListener extends SoftwareListener<ShmQueue> implements Pollable {
  private final EndpointOptions options;
  private final EndpointAddress localAddress;
  private final String path;
  private final ListenSocket socket;

  private ShmListener(ShmQueue queue, EndpointAddress address, String path, ListenSocket socket, EndpointOptions options, ListenHandler handler) {
    super(queue, handler);
    this.localAddress = address;
    this.path = path;
    this.socket = socket;
    this.options = options;
  }

  static ShmListener open(ShmQueue queue, EndpointAddress local, EndpointOptions options, ListenHandler handler) {
    EndpointAddress address = local != null ? local
      : EndpointAddress.of(ProcessHandle.current().pid() + "-" + Long.toHexString(ThreadLocalRandom.current().nextLong() >>> 16));
    MeetingFolder folder = queue.domain().folder();
    String path = folder.socket(address);
    ListenSocket socket = listen(queue.sockets(), folder, path);
    try {
      folder.open(path);
      ShmListener listener = new ShmListener(queue, address, path, socket, options, handler);
      queue.watch(socket, listener);
      return queue.add(listener);
    } catch (IOException e) {
      socket.close();
      throw new ProviderException(Reason.PERMISSION, "shm: cannot listen on " + address + " (" + path + ") for a group: " + e, e);
    } catch (RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  private static ListenSocket listen(SocketSet sockets, MeetingFolder folder, String path) {
    // Somebody may have cleaned the temporary folder up.
    folder.restore();
    try {
      return sockets.listen(path, BACKLOG);
    } catch (ProviderException e) {
      if (e.reason() == Reason.ADDRESS_IN_USE && isAbandoned(sockets, path)) {
        return sockets.listen(path, BACKLOG);
      }
      throw e;
    }
  }

  /** Removes a socket that a process left behind when it was killed: nobody listens on it. */
  private static boolean isAbandoned(SocketSet sockets, String path) {
    try {
      LocalSocket probe = sockets.connect(path);
      if (probe != null) {
        probe.close();
      }
      return false;
    } catch (ProviderException e) {
      return e.reason() == Reason.REFUSED && isRemoved(path);
    }
  }

  private static boolean isRemoved(String path) {
    try {
      Files.deleteIfExists(Path.of(path));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public EndpointAddress localAddress() {
    return localAddress;
  }

  @Override
  public void ready() {
    while (!isClosed()) {
      LocalSocket accepted;
      try {
        accepted = socket.accept();
      } catch (ProviderException e) {
        // Nobody asks again at once.
        queue().sockets().unwatch(socket, this);
        pause(() -> queue().watch(socket, this));
        return;
      }
      if (accepted == null) {
        return;
      }
      if (!accepted.isAdmittedTo(queue().domain().folder())) {
        accepted.close();
        continue;
      }
      add(new ShmRequest(this, accepted)).start(options.connectTimeoutMillis());
    }
  }

  @Override
  protected void closeSocket() {
    try {
      Files.deleteIfExists(Path.of(path));
    } catch (IOException e) {
      // The next that listens on the name removes it.
    }
    queue().sockets().unwatch(socket, this);
    socket.close();
  }
}
