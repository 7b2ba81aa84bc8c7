package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.software.SocketListener;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Socket in the meeting folder. Each connected socket becomes a connection request once its first message has arrived. */
final class ShmListener extends SocketListener<ShmQueue> implements Pollable {
  /** Period of checks whether others removed the socket. */
  private static final long NAME_SECONDS = 5;

  private final EndpointOptions options;
  private final EndpointAddress localAddress;
  private final String path;
  private final FolderHold hold;
  /** The socket of the name, and earlier ones, whose name others removed: peers may still wait there. */
  private volatile List<UnixListenSocket> sockets;
  /** Guarded by this. */
  private boolean released;
  /** Number by which peers ask it through the rings of its queue; 0 if they have to use its socket. */
  private final int number;

  private ShmListener(ShmQueue queue, EndpointAddress address, String path, UnixListenSocket socket, FolderHold hold,
    EndpointOptions options, ListenHandler handler) {
    super(queue, handler);
    this.localAddress = address;
    this.path = path;
    this.sockets = List.of(socket);
    this.hold = hold;
    this.options = options;
    this.number = handler.answersHere() ? ThreadLocalRandom.current().nextInt() | 1 : 0;
  }

  static ShmListener open(ShmQueue queue, EndpointAddress local, EndpointOptions options, ListenHandler handler) {
    EndpointAddress address = local != null ? local : queue.nameListener();
    MeetingFolder folder = queue.domain().folder();
    String path = folder.socket(address);
    UnixListenSocket socket = listen(queue.sockets(), folder, Path.of(path), local == null);
    FolderHold hold = folder.hold();
    try {
      ShmListener listener = new ShmListener(queue, address, path, socket, hold, options, handler);
      queue.watch(socket.fd(), listener);
      if (listener.number != 0) {
        queue.add(listener.number, listener);
      }
      watchName(new WeakReference<>(listener));
      return queue.add(listener);
    } catch (RuntimeException e) {
      remove(Path.of(path));
      socket.close();
      hold.close();
      throw e;
    }
  }

  /** Listens under the final name, since systemd-tmpfiles knows a socket by the name that it was bound to. */
  private static UnixListenSocket listen(DescriptorSet sockets, MeetingFolder folder, Path name, boolean isUnique) {
    // The temporary folder may have been cleaned.
    folder.restore();
    AbandonedNames.removeAllOnce(folder);
    try {
      return isUnique ? bind(sockets, folder, name) : AbandonedNames.take(folder, name, () -> bind(sockets, folder, name));
    } catch (IOException e) {
      throw new ProviderException(Reason.PERMISSION, "shm: cannot listen on " + name + ": " + e, e);
    }
  }

  private static UnixListenSocket bind(DescriptorSet sockets, MeetingFolder folder, Path name) throws IOException {
    UnixListenSocket socket = sockets.listen(name.toString(), BACKLOG);
    try {
      folder.open(name, PathDescriptor.SOCKET);
      return socket;
    } catch (IOException | RuntimeException e) {
      remove(name);
      socket.close();
      throw e;
    }
  }

  /** Checks the name from time to time, on a thread that may block. */
  private static void watchName(WeakReference<ShmListener> listener) {
    CompletableFuture.delayedExecutor(NAME_SECONDS, TimeUnit.SECONDS).execute(() -> {
      ShmListener known = listener.get();
      if (known != null && known.keepName()) {
        watchName(listener);
      }
    });
  }

  /** Restores the socket if others removed it. @return false if this listener is closed */
  private synchronized boolean keepName() {
    if (released) {
      return false;
    }
    if (Files.notExists(Path.of(path), LinkOption.NOFOLLOW_LINKS)) {
      try {
        restoreName();
      } catch (IOException | ProviderException e) {
        // The next check tries again.
      }
    }
    return true;
  }

  private void restoreName() throws IOException {
    MeetingFolder folder = queue().domain().folder();
    folder.restore();
    hold.renew();
    UnixListenSocket restored = bind(queue().sockets(), folder, Path.of(path));
    List<UnixListenSocket> before = sockets;
    List<UnixListenSocket> all = new ArrayList<>(before);
    all.addFirst(restored);
    sockets = List.copyOf(all);
    try {
      queue().sockets().watch(restored.fd(), this);
    } catch (ProviderException e) {
      sockets = before;
      remove(Path.of(path));
      restored.close();
      throw e;
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
    StrayDescriptors.checkRoom();
    DescriptorSocket accepted = null;
    for (Iterator<UnixListenSocket> each = sockets.iterator(); accepted == null && each.hasNext();) {
      accepted = each.next().accept();
    }
    if (accepted == null) {
      return false;
    }
    if (accepted.isAdmittedTo(queue().domain().folder()) && !StrayDescriptors.refuses(accepted.user())) {
      add(new ShmRequest(this, accepted)).start(options.connectTimeoutMillis());
    } else {
      accepted.close();
    }
    return true;
  }

  @Override
  protected void watch(boolean on) {
    for (UnixListenSocket each : sockets) {
      // A restored socket is watched already.
      queue().sockets().unwatch(each.fd(), this);
      if (on) {
        queue().watch(each.fd(), this);
      }
    }
  }

  @Override
  protected synchronized void release() {
    released = true;
    queue().removeListener(number);
    remove(Path.of(path));
    for (UnixListenSocket each : sockets) {
      queue().sockets().unwatch(each.fd(), this);
      each.close();
    }
    hold.close();
  }
}
