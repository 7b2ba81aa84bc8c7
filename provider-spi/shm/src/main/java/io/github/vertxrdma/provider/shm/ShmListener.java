package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.base.FileErrors;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.software.SocketListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Listener with a socket in the {@link MeetingFolder}. The first message over an accepted socket becomes a connection request. {@link
 * DaemonThreads#FOLDER} changes the folder, except in the methods that block.
 */
final class ShmListener extends SocketListener<ShmQueue> implements Pollable {
  private final EndpointOptions options;
  private final EndpointAddress localAddress;
  private final Name name;
  /** The current socket, then earlier ones whose files were removed. Peers may still wait in their backlogs. */
  private volatile List<UnixListenSocket> sockets;
  /** Changed only while this object's monitor is held. */
  private volatile boolean released;
  /** Number that identifies the listener in {@link Record#CONNECT}; 0 if peers must use the socket. */
  final int number;

  private ShmListener(ShmQueue queue, EndpointAddress address, Name name, EndpointOptions options, ListenHandler handler) {
    super(queue, handler);
    this.localAddress = address;
    this.name = name;
    this.sockets = List.of(name.socket);
    this.options = options;
    this.number = handler.answersHere() ? ThreadLocalRandom.current().nextInt() | 1 : 0;
  }

  /** Bound socket of a listener; {@code isUnique} if this process chose the name. */
  record Name(MeetingFolder folder, Path path, boolean isUnique, UnixListenSocket socket, MeetingFolder.Hold hold) {

    /** Binds the socket directly to its final path, because systemd-tmpfiles recognizes sockets by the bound path. Blocks. */
    static Name take(MeetingFolder folder, EndpointAddress address, boolean isUnique) {
      Path path = Path.of(folder.socket(address));
      // A clean-up may have removed the folder.
      folder.restore();
      AbandonedNames.removeAllOnce(folder);
      MeetingFolder.Hold hold = folder.hold();
      try {
        UnixListenSocket socket = isUnique ? bind(folder, path) : AbandonedNames.take(folder, path, () -> bind(folder, path));
        return new Name(folder, path, isUnique, socket, hold);
      } catch (RuntimeException e) {
        hold.close();
        throw e;
      } catch (IOException e) {
        hold.close();
        throw new ProviderException(Reason.PERMISSION, "shm: cannot listen on " + path + ": " + FileErrors.words(e), e);
      }
    }

    UnixListenSocket restore() throws IOException {
      folder.restore();
      hold.renew();
      return AbandonedNames.take(folder, path, () -> bind(folder, path));
    }

    void close() {
      socket.close();
      removeLater();
    }

    void removeLater() {
      DaemonThreads.FOLDER.execute(() -> {
        if (isUnique) {
          remove(path);
        } else {
          AbandonedNames.removeIfAbandoned(folder, path);
        }
        hold.close();
      });
    }
  }

  /** Opens a listener. Blocks unless {@link ShmDomain#listenPreparation} has bound the socket. */
  static ShmListener open(ShmQueue queue, EndpointAddress local, EndpointOptions options, ListenHandler handler) {
    EndpointAddress address = local != null ? local : queue.nameListener();
    Name prepared = queue.takePrepared(address);
    Name taken = prepared != null ? prepared : Name.take(queue.domain.folder(), address, local == null);
    try {
      ShmListener listener = new ShmListener(queue, address, taken, options, handler);
      queue.watch(taken.socket.fd(), listener);
      if (listener.number != 0) {
        queue.listeners.put(listener.number, listener);
      }
      queue.add(listener);
      queue.domain.listeners.add(listener);
      return listener;
    } catch (RuntimeException e) {
      taken.close();
      throw e;
    }
  }

  private static UnixListenSocket bind(MeetingFolder folder, Path name) throws IOException {
    UnixListenSocket socket = UnixListenSocket.listen(name.toString(), BACKLOG);
    try {
      folder.open(name, PathDescriptor.SOCKET);
      return socket;
    } catch (IOException | RuntimeException e) {
      remove(name);
      socket.close();
      throw e;
    }
  }

  Path path() {
    return name.path;
  }

  /**
   * Restores the socket's file if it was removed. Blocks, but without the monitor that {@link #release} needs. Returns false if the file is
   * still missing.
   */
  boolean restoreSocket() {
    if (!released && Files.notExists(name.path, LinkOption.NOFOLLOW_LINKS)) {
      try {
        return use(name.restore());
      } catch (IOException | RuntimeException e) {
        // Another listener may have created the file meanwhile.
        return Files.exists(name.path, LinkOption.NOFOLLOW_LINKS);
      }
    }
    return true;
  }

  private synchronized boolean use(UnixListenSocket restored) {
    List<UnixListenSocket> before = sockets;
    List<UnixListenSocket> all = new ArrayList<>(before);
    all.addFirst(restored);
    sockets = List.copyOf(all);
    try {
      if (!released) {
        queue().sockets.watch(restored.fd(), this);
        return true;
      }
    } catch (ProviderException e) {
      // The next call tries again.
    }
    sockets = before;
    remove(name.path);
    restored.close();
    return released;
  }

  private static void remove(Path socket) {
    try {
      Files.deleteIfExists(socket);
    } catch (IOException e) {
      // The next listener with this name removes the file.
    }
  }

  @Override
  public EndpointAddress localAddress() {
    return localAddress;
  }

  void requested(QueueLink by, ShmRequest.Connector connector, byte[] privateData) {
    add(new ShmRequest(this, by, connector)).requested(privateData);
  }

  @Override
  public void ready() {
    if (acceptWaiting()) {
      queue().checkSockets();
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
    if (accepted.isAdmittedTo(queue().domain.folder()) && !StrayDescriptors.refuses(accepted.user)) {
      add(new ShmRequest(this, accepted)).start(options.connectTimeoutMillis());
    } else {
      accepted.close();
    }
    return true;
  }

  @Override
  protected void watch(boolean on) {
    for (UnixListenSocket each : sockets) {
      // Removed first, because a socket that was restored meanwhile is already watched.
      queue().sockets.unwatch(each.fd(), this);
      if (on) {
        queue().watch(each.fd(), this);
      }
    }
  }

  @Override
  protected synchronized void release() {
    released = true;
    queue().domain.listeners.remove(this);
    queue().listeners.remove(number);
    for (UnixListenSocket each : sockets) {
      queue().sockets.unwatch(each.fd(), this);
      each.close();
    }
    name.removeLater();
  }
}
