package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.software.WaitSet;
import java.util.function.Consumer;

/** The sockets of one completion queue: whoever has one that may have something is told in a poll, and all of them can be waited for. */
interface SocketSet extends WaitSet {

  /** Something that can be watched: a {@link LocalSocket} or a {@link ListenSocket} of this kind of set. */
  interface Watched {
  }

  /**
   * Connects to a listener, without waiting.
   *
   * @return null if as many wait there as can
   * @throws ProviderException {@code REFUSED} if nobody listens there, {@code UNREACHABLE}, {@code LIMIT}
   */
  LocalSocket connect(String path);

  /** Listens. @throws ProviderException {@code ADDRESS_IN_USE} if the file is there, whoever listens or listened on it; … */
  ListenSocket listen(String path, int backlog);

  /** Tells when a socket may have something; any thread. */
  void watch(Watched socket, Pollable told);

  /** Tells no more, before it is closed or another set watches it; any thread. */
  void unwatch(Watched socket, Pollable told);

  /**
   * Takes messages that came, a few at most.
   *
   * @param receiver whom each is given to; one of no bytes says that the peer is gone
   * @return whether there may be more, of which a poll tells again
   */
  boolean receive(LocalSocket socket, Consumer<Message.Received> receiver);

  /** Tells of sockets that may have something. @return whether it has to be called again soon */
  boolean poll();

  /**
   * Prepares to sleep, or to go on sleeping.
   *
   * @param millis when something is due, 0 if nothing is
   * @return false if a socket may have something
   */
  boolean arm(long millis);

  /** The sleep is over. */
  void disarm();
}
