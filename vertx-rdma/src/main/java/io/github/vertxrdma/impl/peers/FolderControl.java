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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;

/** Connects the nodes of a folder through their Unix sockets, in any network namespace. The host of an address is the name of a socket. */
final class FolderControl extends EventLoopControl {
  static final int PORT = 1;

  private final NodeFolder folder;
  private final ControlThread thread;
  private Handler<ControlPipe> accepted;
  private Channel listening;

  FolderControl(ContextInternal context, NodeFolder folder, ControlThread thread) {
    super(context, 0);
    this.folder = folder;
    this.thread = thread;
  }

  @Override
  public Future<Listening> listen(String host, int port, Handler<ControlPipe> handler) {
    accepted = handler;
    return rebind().recover(cause -> thread.call(() -> Files.isWritable(folder.path()))
      .compose(isWritable -> Future.failedFuture(refusal(folder.socket(folder.own()), cause, isWritable))))
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

  static RdmaException refusal(Path socket, Throwable cause, boolean isWritable) {
    boolean isLimit = RuntimeFolder.isLimit(cause);
    return new RdmaException(isLimit ? Reason.LIMIT : Reason.UNSUPPORTED,
      "cannot listen on " + socket + " for other processes of this host: " + LinkTable.words(cause) + ". "
        + (isLimit || !isWritable ? RuntimeFolder.remedy(cause) : "Permit sockets of AF_UNIX (RestrictAddressFamilies= of a systemd unit)")
        + '.',
      cause);
  }

  /** Binds the socket again. Closes the old one first, which may remove its path. */
  Future<Void> rebind() {
    return (listening == null ? Future.<Void>succeededFuture() : close(listening)).compose(v -> accepted == null ? Future.succeededFuture()
      : reach(folder.own(), address -> bind(true, address, accepted)).compose(bound -> {
        listening = bound;
        return accepted == null ? close(bound) : Future.succeededFuture();
      }));
  }

  /** Connects. Of sockets that do not answer, those of dead processes refuse, and are deleted. */
  @Override
  public Future<ControlPipe> connect(String name, int port, int timeoutMillis) {
    return reach(name, address -> connect(true, address, timeoutMillis))
      .recover(cause -> thread.call(() -> folder.removeDead(name) || !folder.lives(name)).compose(ended -> Future.failedFuture(ended
        ? new ConnectException("its process has ended")
        : new IOException("its socket does not answer, and its process lives: " + cause.getMessage(), cause))));
  }

  private <T> Future<T> reach(String name, Function<SocketAddress, Future<T>> call) {
    return Future.succeededFuture(name).map(folder::socket)
      .compose(socket -> ShortPath.fits(socket) ? Future.succeededFuture(socket) : thread.call(() -> ShortPath.of(socket)))
      .compose(path -> call.apply(domain(path)));
  }

  /** Only this user can connect. */
  @Override
  public int mostUnprovenOfOne() {
    return ControlLinks.MOST_UNPROVEN;
  }
}
