package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.SystemError;
import io.github.vertxrdma.provider.software.SelectorSet;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/** Channels of the JDK. */
final class ChannelSet extends SelectorSet implements SocketSet {
  private static final int MESSAGES = 8;

  /** A socket of this kind of set. */
  interface Selectable extends Watched {
    SelectableChannel channel();

    /** Operations it is selected for. */
    int operations();
  }

  private final MeetingFolder folder;
  /** Told in the next poll: those whose channel has been read and whose messages may not. */
  private final ArrayDeque<Pollable> again = new ArrayDeque<>();

  ChannelSet(MeetingFolder folder) {
    super(open(), "vertx-rdma-shm-wakeup");
    this.folder = folder;
  }

  private static Selector open() {
    try {
      return Selector.open();
    } catch (IOException e) {
      throw failure("a completion queue could not be made", e);
    }
  }

  static ProviderException failure(String what, IOException cause) {
    String remedy = switch (SystemError.of(cause)) {
      case EMFILE -> " — raise 'ulimit -n'";
      case ENFILE -> " — raise 'sysctl fs.file-max'";
      default -> "";
    };
    return new ProviderException(remedy.isEmpty() ? Reason.OTHER : Reason.LIMIT, "shm: " + what + ": " + cause.getMessage() + remedy, cause);
  }

  @Override
  public LocalSocket connect(String path) {
    SocketChannel channel = null;
    try {
      channel = SocketChannel.open(StandardProtocolFamily.UNIX);
      ChannelSocket socket = new ChannelSocket(channel, folder);
      if (channel.connect(UnixDomainSocketAddress.of(path))) {
        return socket;
      }
      // EAGAIN of connect(2): it is not under way, and would be said to be done.
      socket.close();
      return null;
    } catch (IOException e) {
      close(channel);
      if (e instanceof ConnectException || Files.notExists(Path.of(path))) {
        throw new ProviderException(Reason.REFUSED, "shm: nobody listens on " + path + ": " + e.getMessage(), e);
      }
      throw failure("nobody can be reached on " + path, e);
    }
  }

  @Override
  public ListenSocket listen(String path, int backlog) {
    ServerSocketChannel channel = null;
    try {
      channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      channel.configureBlocking(false);
      channel.bind(UnixDomainSocketAddress.of(path), backlog);
      return new Listening(channel, folder);
    } catch (IOException e) {
      close(channel);
      if (e instanceof BindException && Files.exists(Path.of(path))) {
        throw new ProviderException(Reason.ADDRESS_IN_USE, "shm: cannot listen on " + path + ": another process does", e);
      }
      throw failure("cannot listen on " + path, e);
    }
  }

  private static void close(SelectableChannel channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      // Nothing is left to lose.
    }
  }

  private record Listening(ServerSocketChannel channel, MeetingFolder folder) implements ListenSocket, Selectable {

    @Override
    public int operations() {
      return SelectionKey.OP_ACCEPT;
    }

    @Override
    public LocalSocket accept() {
      try {
        SocketChannel accepted = channel.accept();
        return accepted == null ? null : new ChannelSocket(accepted, folder);
      } catch (IOException e) {
        throw failure("nobody can be accepted", e);
      }
    }

    @Override
    public void close() {
      ChannelSet.close(channel);
    }
  }

  @Override
  public void watch(Watched socket, Pollable told) {
    Selectable selectable = (Selectable) socket;
    sleeper.disarm();
    again.add(told);
    try {
      selectable.channel().register(selector, selectable.operations(), told);
    } catch (IOException e) {
      // Closed: whoever is told finds that.
    }
  }

  /** A channel that is closed gives its descriptor back only when no selector has it any more. */
  @Override
  public void unwatch(Watched socket, Pollable told) {
    SelectionKey key = ((Selectable) socket).channel().keyFor(selector);
    again.remove(told);
    if (key != null && key.attachment() == told) {
      sleeper.disarm();
      key.cancel();
      sweep();
    }
  }

  @Override
  public boolean receive(LocalSocket socket, Consumer<Message.Received> receiver) {
    for (int i = 0; i < MESSAGES; i++) {
      Message.Received message = socket.receive();
      if (message == null) {
        return false;
      }
      boolean last = !message.bytes().hasRemaining();
      receiver.accept(message);
      if (last) {
        return false;
      }
    }
    SelectionKey key = ((Selectable) socket).channel().keyFor(selector);
    // It may be told of by the selector too, in one poll: each time it would have one turn more.
    if (key != null && !again.contains(key.attachment())) {
      again.add((Pollable) key.attachment());
    }
    return true;
  }

  @Override
  public boolean poll() {
    for (int n = again.size(); n > 0 && !again.isEmpty(); n--) {
      again.poll().ready();
    }
    try {
      select();
    } catch (IOException e) {
      throw failure("the selector failed", e);
    }
    return !again.isEmpty();
  }

  @Override
  protected void ready(SelectionKey key) {
    ((Pollable) key.attachment()).ready();
  }

  @Override
  public boolean arm(long millis) {
    return again.isEmpty() && sleeper.arm(millis);
  }

  @Override
  public void disarm() {
    // The sleeper is left alone until something has to be changed.
  }
}
