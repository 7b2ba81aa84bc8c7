package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.github.vertxrdma.impl.process.ShortPath;
import io.netty.channel.Channel;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.internal.ContextInternal;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.function.Function;

/**
 * Connects the nodes of a folder through their Unix sockets, which all network namespaces see. The host of an address is the name of a
 * node's socket, the port is {@link #PORT}.
 */
final class FolderControl extends EventLoopControl {
  static final int PORT = 1;

  private final NodeFolder folder;
  private final ControlThread thread;
  private Handler<ControlPipe> accepted;
  private Channel listening;

  /** @param thread runs calls that access files */
  FolderControl(ContextInternal context, NodeFolder folder, ControlThread thread) {
    super(context, 0);
    this.folder = folder;
    this.thread = thread;
  }

  @Override
  public Future<Listening> listen(String host, int port, Handler<ControlPipe> handler) {
    accepted = handler;
    return rebind().recover(cause -> Future.failedFuture(new RdmaException(Reason.UNSUPPORTED, "cannot listen on "
      + folder.socket(folder.own()) + " for other processes of this host: " + LinkTable.words(cause) + ". " + RuntimeFolder.remedy(cause)
      + '.', cause)))
      .map(v -> new Listening() {
        @Override
        public int port() {
          return PORT;
        }

        @Override
        public Future<Void> close() {
          accepted = null;
          return FolderControl.close(listening);
        }
      });
  }

  boolean isListening() {
    return listening != null && accepted != null;
  }

  /** Binds the socket again after others removed it. Closes the old one first, which may remove its path. */
  Future<Void> rebind() {
    return (listening == null ? Future.<Void>succeededFuture() : close(listening)).compose(v -> accepted == null ? Future.succeededFuture()
      : reach(folder.own(), address -> bind(true, address, accepted)).compose(bound -> {
        listening = bound;
        return accepted == null ? close(bound) : Future.succeededFuture();
      }));
  }

  /** Connects. A socket that does not answer refuses only if its process is dead: the backlog of a living one may be full. */
  @Override
  public Future<ControlPipe> connect(String name, int port, int timeoutMillis) {
    return reach(name, address -> connect(true, address, timeoutMillis)).recover(cause -> thread.call(() -> folder.lives(name))
      .compose(lives -> Future.failedFuture(lives
        ? new IOException("its socket does not answer, and its process lives: " + cause.getMessage(), cause)
        : new ConnectException("its process has ended"))));
  }

  private <T> Future<T> reach(String name, Function<SocketAddress, Future<T>> call) {
    try {
      Path socket = folder.socket(name);
      return ShortPath.fits(socket) ? call.apply(domain(socket)) : thread.call(() -> ShortPath.of(socket)).compose(at -> call.apply(
        domain(at.path())).onComplete(done -> thread.call(() -> {
          at.close();
          return null;
        })));
    } catch (IllegalArgumentException e) {
      return Future.failedFuture(e);
    }
  }
}
