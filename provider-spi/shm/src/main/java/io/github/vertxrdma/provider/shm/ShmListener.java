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
  /** By which peers ask it through the rings of its queue; 0 if they are to ask by its socket. */
  private final int number;

  private ShmListener(ShmQueue queue, EndpointAddress address, String path, ListenSocket socket, EndpointOptions options, ListenHandler handler) {
    super(queue, handler);
    this.localAddress = address;
    this.path = path;
    this.socket = socket;
    this.options = options;
    this.number = handler.answersHere() ? ThreadLocalRandom.current().nextInt() | 1 : 0;
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
      if (listener.number != 0) {
        queue.add(listener.number, listener);
      }
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

  int number() {
    return number;
  }

  /** A queue that shares memory with this one asks for a connection. */
  void asked(Peering by, int connection, int readsInFlight, byte[] privateData) {
    add(new ShmRequest(this, by, connection, readsInFlight)).asked(privateData);
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
    queue().removeListener(number);
    try {
      Files.deleteIfExists(Path.of(path));
    } catch (IOException e) {
      // The next that listens on the name removes it.
    }
    queue().sockets().unwatch(socket, this);
    socket.close();
  }
}
