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
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Listener with a socket in the {@link MeetingFolder}. The first message over an accepted socket becomes a connection request. {@link
 * DaemonThreads#FOLDER} changes the folder, except in the methods that block.
 */
final class ShmListener extends SocketListener<ShmQueue> implements Pollable {
  private final EndpointOptions options;
  private final EndpointAddress localAddress;
  /** Sockets, by the folders' paths. Changed, and used to accept, only while this object's monitor is held. */
  private final Map<Path, Name> names = new ConcurrentHashMap<>();
  private final boolean isUnique;
  /** Changed only while this object's monitor is held. */
  private volatile boolean released;
  /** Number that identifies the listener in {@link Record#CONNECT}; 0 if peers must use the socket. */
  final int number;

  private ShmListener(ShmQueue queue, EndpointAddress address, List<Name> taken, EndpointOptions options, ListenHandler handler) {
    super(queue, handler);
    this.localAddress = address;
    taken.forEach(each -> names.put(each.folder.path(), each));
    this.isUnique = taken.getFirst().isUnique;
    this.options = options;
    this.number = handler.answersHere() ? ThreadLocalRandom.current().nextInt() | 1 : 0;
  }

  /**
   * Bound socket of a listener.
   *
   * @param isUnique whether this process chose the name
   * @param sockets the current socket, and the one before whose file was removed. Peers may still wait in its backlog.
   */
  record Name(MeetingFolder folder, Path path, boolean isUnique, List<UnixListenSocket> sockets, MeetingFolder.Hold hold) {

    /** Binds a socket in each folder where that is possible, or in none if another listener has the name in one. Blocks. */
    static List<Name> take(ShmDevice device, EndpointAddress address, boolean isUnique) {
      device.refresh();
      List<Name> taken = new ArrayList<>();
      RuntimeException failure = null;
      for (MeetingFolder folder : device.folders()) {
        try {
          taken.add(take(folder, address, isUnique));
        } catch (RuntimeException e) {
          failure = failure == null || isInUse(e) ? e : failure;
          if (!isUnique && isInUse(e)) {
            // Of two listeners that take a name at once, one gets it, since both begin with the same folder.
            break;
          }
        }
      }
      if (taken.isEmpty() || !isUnique && isInUse(failure)) {
        taken.forEach(Name::close);
        throw failure;
      }
      return taken;
    }

    private static boolean isInUse(RuntimeException cause) {
      return cause instanceof ProviderException e && e.reason() == Reason.ADDRESS_IN_USE;
    }

    /** Binds the socket directly to its final path, because systemd-tmpfiles recognizes sockets by the bound path. Blocks. */
    static Name take(MeetingFolder folder, EndpointAddress address, boolean isUnique) {
      Path path = Path.of(folder.socket(address));
      // A clean-up may have removed the folder.
      folder.restore();
      AbandonedNames.removeAllOnce(folder);
      MeetingFolder.Hold hold = folder.hold();
      try {
        UnixListenSocket socket = isUnique ? bind(folder, path) : AbandonedNames.take(folder, path, () -> bind(folder, path));
        return new Name(folder, path, isUnique, List.of(socket), hold);
      } catch (RuntimeException e) {
        hold.close();
        throw e;
      } catch (IOException e) {
        hold.close();
        throw new ProviderException(Reason.PERMISSION, "shm: cannot listen on " + path + ": " + FileErrors.words(e), e);
      }
    }

    Name restored() throws IOException {
      folder.restore();
      hold.renew();
      return new Name(folder, path, isUnique, List.of(AbandonedNames.take(folder, path, () -> bind(folder, path)), socket()), hold);
    }

    UnixListenSocket socket() {
      return sockets.getFirst();
    }

    void close() {
      sockets.forEach(UnixListenSocket::close);
      removeLater();
    }

    void removeLater() {
      DaemonThreads.FOLDER.execute(this::removeFile);
    }

    private void removeFile() {
      if (isUnique) {
        remove(path);
      } else {
        AbandonedNames.removeIfAbandoned(folder, path);
      }
      hold.close();
    }
  }

  /** Opens a listener. Blocks unless {@link ShmDomain#listenPreparation} has bound the socket. */
  static ShmListener open(ShmQueue queue, EndpointAddress local, EndpointOptions options, ListenHandler handler) {
    EndpointAddress address = local != null ? local : queue.nameListener();
    List<Name> prepared = queue.takePrepared(address);
    List<Name> taken = prepared != null ? prepared : Name.take(queue.domain.shm(), address, local == null);
    try {
      ShmListener listener = new ShmListener(queue, address, taken, options, handler);
      taken.forEach(each -> queue.watch(each.socket().fd(), listener));
      if (listener.number != 0) {
        queue.listeners.put(listener.number, listener);
      }
      queue.add(listener);
      queue.domain.listeners.add(listener);
      queue.domain.shm().folders().forEach(folder -> queue.domain.shm().bound(folder.path().resolve(address.toString()),
        listener.names.containsKey(folder.path())));
      return listener;
    } catch (RuntimeException e) {
      taken.forEach(Name::close);
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

  List<Path> paths() {
    return names.values().stream().map(Name::path).toList();
  }

  /**
   * Restores the socket's files that were removed, and listens in folders that have become usable instead of those that are no longer so.
   * Blocks, but without the monitor that {@link #release} needs. Returns false if a file is still missing.
   */
  boolean restoreSocket(List<MeetingFolder> folders) {
    leaveOthers(folders).forEach(Name::removeFile);
    boolean all = true;
    for (MeetingFolder folder : folders) {
      all &= restore(folder);
    }
    return all;
  }

  private synchronized List<Name> leaveOthers(List<MeetingFolder> folders) {
    List<Name> left = released ? List.of()
      : names.values().stream().filter(each -> folders.stream().noneMatch(folder -> folder.path().equals(each.folder.path()))).toList();
    left.forEach(each -> {
      names.remove(each.folder.path());
      each.sockets.forEach(this::close);
    });
    return left;
  }

  private void close(UnixListenSocket socket) {
    queue().sockets.unwatch(socket.fd(), this);
    socket.close();
  }

  private boolean restore(MeetingFolder folder) {
    Path path = folder.path().resolve(localAddress.toString());
    Name known = names.get(folder.path());
    if (!released && (known == null || Files.notExists(path, LinkOption.NOFOLLOW_LINKS))) {
      try {
        use(known, known == null ? Name.take(folder, localAddress, isUnique) : known.restored());
      } catch (IOException | RuntimeException e) {
        // The next call tries again. Another listener may have created the file meanwhile.
      }
    }
    boolean exists = Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    synchronized (this) {
      boolean isBound = released || exists && names.containsKey(folder.path());
      queue().domain.shm().bound(path, isBound);
      return isBound;
    }
  }

  private synchronized void use(Name before, Name restored) {
    try {
      // Another node of this process may have left or restored the name meanwhile.
      if (!released && names.get(restored.folder.path()) == before) {
        queue().sockets.watch(restored.socket().fd(), this);
        names.put(restored.folder.path(), restored);
        if (before != null) {
          before.sockets.stream().skip(1).forEach(this::close);
        }
        return;
      }
    } catch (ProviderException e) {
      // The next call tries again.
    }
    remove(restored.path);
    restored.socket().close();
    if (before == null) {
      restored.hold.close();
    }
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
    DescriptorSocket accepted = accepted();
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

  private synchronized DescriptorSocket accepted() {
    for (Name name : names.values()) {
      for (UnixListenSocket each : name.sockets) {
        DescriptorSocket accepted = each.accept();
        if (accepted != null) {
          return accepted;
        }
      }
    }
    return null;
  }

  @Override
  protected synchronized void watch(boolean on) {
    names.values().stream().flatMap(each -> each.sockets.stream()).forEach(each -> {
      // Removed first, because a socket that was restored meanwhile is already watched.
      queue().sockets.unwatch(each.fd(), this);
      if (on) {
        queue().watch(each.fd(), this);
      }
    });
  }

  @Override
  protected synchronized void release() {
    released = true;
    queue().domain.listeners.remove(this);
    queue().listeners.remove(number);
    names.values().forEach(each -> {
      each.sockets.forEach(this::close);
      each.removeLater();
    });
    queue().domain.shm().closed(localAddress);
  }
}
