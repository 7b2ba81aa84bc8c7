package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.software.SocketListener;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

/** Socket in the meeting folder. Each connected socket becomes a connection request once its first message has arrived. */
final class ShmListener extends SocketListener<ShmQueue> implements Pollable {
  private final EndpointOptions options;
  private final EndpointAddress localAddress;
  private final String path;
  private final UnixListenSocket socket;
  /** Number by which peers ask it through the rings of its queue; 0 if they have to use its socket. */
  private final int number;

  private ShmListener(ShmQueue queue, EndpointAddress address, String path, UnixListenSocket socket, EndpointOptions options,
    ListenHandler handler) {
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
    UnixListenSocket socket = listen(queue.sockets(), folder, Path.of(path));
    try {
      ShmListener listener = new ShmListener(queue, address, path, socket, options, handler);
      queue.watch(socket.fd(), listener);
      if (listener.number != 0) {
        queue.add(listener.number, listener);
      }
      return queue.add(listener);
    } catch (RuntimeException e) {
      remove(Path.of(path));
      socket.close();
      throw e;
    }
  }

  /** Listens under a private name before others can find it: a visible socket without a listener is one that a killed process left. */
  private static UnixListenSocket listen(DescriptorSet sockets, MeetingFolder folder, Path name) {
    // The temporary folder may have been cleaned.
    folder.restore();
    AbandonedNames.removeAllOnce(folder);
    Path own = name.resolveSibling("." + Long.toHexString(ThreadLocalRandom.current().nextLong()));
    UnixListenSocket socket = sockets.listen(own.toString(), BACKLOG);
    try {
      folder.open(own);
      while (!isNamed(own, name)) {
        if (!AbandonedNames.isRemoved(folder, name)) {
          throw new ProviderException(Reason.ADDRESS_IN_USE, Errno.EADDRINUSE, "shm: cannot listen on " + name + ": another process does");
        }
      }
      return socket;
    } catch (IOException e) {
      socket.close();
      throw new ProviderException(Reason.PERMISSION, "shm: cannot listen on " + name + ": " + e, e);
    } catch (RuntimeException e) {
      socket.close();
      throw e;
    } finally {
      remove(own);
    }
  }

  private static boolean isNamed(Path socket, Path name) throws IOException {
    try {
      Files.createLink(name, socket);
      return true;
    } catch (FileAlreadyExistsException e) {
      return false;
    }
  }

  private static void remove(Path socket) {
    try {
      Files.deleteIfExists(socket);
    } catch (IOException e) {
      // The next listener of that name removes it.
    }
  }

  @Override
  public EndpointAddress localAddress() {
    return localAddress;
  }

  int number() {
    return number;
  }

  /** Called when a queue that shares memory with this one requests a connection. */
  void asked(Peering by, int connection, int readsInFlight, long token, byte[] privateData) {
    add(new ShmRequest(this, by, connection, readsInFlight, token)).asked(privateData);
  }

  @Override
  public void ready() {
    if (acceptWaiting()) {
      queue().lookAgain();
    }
  }

  @Override
  protected boolean acceptNext() {
    DescriptorSocket accepted = socket.accept();
    if (accepted == null) {
      return false;
    }
    if (accepted.isAdmittedTo(queue().domain().folder())) {
      add(new ShmRequest(this, accepted)).start(options.connectTimeoutMillis());
    } else {
      accepted.close();
    }
    return true;
  }

  @Override
  protected void watch(boolean on) {
    if (on) {
      queue().watch(socket.fd(), this);
    } else {
      queue().sockets().unwatch(socket.fd(), this);
    }
  }

  @Override
  protected void release() {
    queue().removeListener(number);
    remove(Path.of(path));
    queue().sockets().unwatch(socket.fd(), this);
    socket.close();
  }
}
