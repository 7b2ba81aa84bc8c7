package io.github.vertxrdma.provider.shm;

/**
 * A connected socket of unix(7) that keeps the bounds of messages and carries files. It never waits: what the peer has no room for is kept,
 * in order. For control alone, so it allocates; a wake-up does not. Used by one thread, but for {@link #send} and {@link #close}.
 */
interface LocalSocket extends SocketSet.Watched {

  /** Whether the process at the other end, as the kernel knows it, may share memory with this one. */
  boolean isAdmittedTo(MeetingFolder folder);

  /** The user at the other end, for messages. */
  String peer();

  /**
   * Sends a message, or keeps it for {@link #flush} if there is no room. Its files are held meanwhile.
   *
   * @return whether the peer is there
   */
  boolean send(Message message);

  /** Sends what was kept, as far as there is room. @return whether the peer is there */
  boolean flush();

  /** Messages that were kept. */
  int unsent();

  /** Wakes the peer, or keeps that for {@link #flush}. Where the socket has no room, so much is under way that it will wake up anyway. */
  void wake();

  /**
   * Takes the next message and leaves those behind it, which may be somebody else's.
   *
   * @return null if there is none; a message of no bytes if the peer is gone
   */
  Message.Received receive();

  void close();
}
