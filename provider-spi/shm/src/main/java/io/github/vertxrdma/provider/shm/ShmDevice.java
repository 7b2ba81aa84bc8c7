package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.software.SoftwareDevice;
import java.io.File;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Shared memory between processes of this host that use the same {@link MeetingFolder}. */
final class ShmDevice extends SoftwareDevice {
  static final String NAME = "shm";
  private static final long IDENTITY_NANOS = 1_000_000_000;

  /** The folder that was usable first. Its group, or its user, decides who may connect. */
  final MeetingFolder folder;
  final long idleMillis;
  private final Supplier<List<MeetingFolder>> usable;
  /** Sockets of listeners of this process that could not be bound. */
  private final Set<Path> unbound = ConcurrentHashMap.newKeySet();
  /** Usable folders, by the id that {@link #subnets} returns. */
  private volatile Map<String, MeetingFolder> found;
  private volatile long foundNanos;

  /** @param usable returns the folders that can be used now, or throws {@link ProviderException} if there is none */
  ShmDevice(MeetingFolder folder, Supplier<List<MeetingFolder>> usable, long idleMillis) {
    super(NAME, Reach.HOST, Preference.SHARED_MEMORY, common().waiting(Waiting.FD).maps(true).receivesInPlace(true)
      .sendCompletion(Capabilities.SendCompletion.SHARED_MEMORY), ShmRemoteMemory.KEY_SIZE);
    this.folder = folder;
    this.usable = usable;
    this.idleMillis = idleMillis;
    refresh();
  }

  /** Looks for the folders, because a folder may appear, or replace a removed one. Blocks. */
  synchronized void refresh() {
    Map<String, MeetingFolder> folders = new LinkedHashMap<>();
    try {
      usable.get().forEach(each -> folders.put(each.identity(), each));
    } catch (ProviderException e) {
      folders.put(folder.identity(), folder);
    }
    found = folders;
    foundNanos = System.nanoTime();
  }

  /** Returns the folders that were found last. If that was more than a second ago, looks for them on another thread. */
  private Map<String, MeetingFolder> found() {
    long now = System.nanoTime();
    if (now - foundNanos > IDENTITY_NANOS) {
      foundNanos = now;
      DaemonThreads.FOLDER.execute(this::refresh);
    }
    return found;
  }

  /** Returns the folders in which this process listens. */
  List<MeetingFolder> folders() {
    return List.copyOf(found().values());
  }

  @Override
  public String subnet() {
    return subnets().getFirst();
  }

  /** Returns the ids of the folders in which all listeners of this process have sockets; of the first folder if there is none. */
  @Override
  public List<String> subnets() {
    Map<String, MeetingFolder> folders = found();
    List<String> bound = folders.keySet().stream()
      .filter(each -> unbound.stream().noneMatch(socket -> socket.startsWith(folders.get(each).path()))).toList();
    return bound.isEmpty() ? List.of(folders.keySet().iterator().next()) : bound;
  }

  void bound(Path socket, boolean isBound) {
    if (isBound) {
      unbound.remove(socket);
    } else {
      unbound.add(socket);
    }
  }

  void closed(EndpointAddress listener) {
    unbound.removeIf(socket -> socket.endsWith(listener.toString()));
  }

  /** Returns the path of a listener's socket: in the first folder that has it. Makes system calls if there are several. */
  String socket(EndpointAddress address) {
    List<MeetingFolder> folders = folders();
    return folders.stream().filter(each -> folders.size() == 1 || new File(each.path().toFile(), address.toString()).exists()).findFirst()
      .orElse(folders.getFirst()).socket(address);
  }

  @Override
  public Domain open() {
    return new ShmDomain(this);
  }
}
