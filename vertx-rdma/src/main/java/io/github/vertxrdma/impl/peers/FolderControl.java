package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.poll.BlockingCalls;
import io.github.vertxrdma.impl.poll.JdkFailures;
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

/** Connects the nodes of a {@link NodeFolder} by Unix sockets, across network namespaces. An address's host is a socket's name. */
final class FolderControl extends EventLoopControl {
  static final int PORT = 1;

  private final NodeFolder folder;
  private final BlockingCalls calls;
  private Handler<ControlPipe> accepted;
  private Channel listening;

  FolderControl(ContextInternal context, NodeFolder folder, BlockingCalls calls) {
    super(context, 0);
    this.folder = folder;
    this.calls = calls;
  }

  @Override
  public Future<Listening> listen(String host, int port, Handler<ControlPipe> handler) {
    accepted = handler;
    return rebind().recover(cause -> calls.result(() -> Files.isWritable(folder.path()))
      .compose(isWritable -> Future.failedFuture(refusal(folder.socket(folder.own()), cause, isWritable))))
      .map(v -> new Listening(PORT, () -> {
        accepted = null;
        return close(listening);
      }));
  }

  static RdmaException refusal(Path socket, Throwable cause, boolean isWritable) {
    boolean isLimit = RuntimeFolder.isLimit(cause);
    return new RdmaException(isLimit ? Reason.LIMIT : Reason.UNSUPPORTED,
      "cannot listen on " + socket + " for other processes of this host: " + JdkFailures.words(cause) + ". "
        + (isLimit || !isWritable ? RuntimeFolder.remedy(cause) : RuntimeFolder.PERMIT_SOCKETS) + '.',
      cause);
  }

  /** Binds this node's socket again. Closes the old one first, because its close may delete the path. */
  Future<Void> rebind() {
    return (listening == null ? Future.<Void>succeededFuture() : close(listening)).compose(v -> accepted == null ? Future.succeededFuture()
      : reach(folder.own(), address -> bind(true, address, accepted)).compose(bound -> {
        listening = bound;
        return accepted == null ? close(bound) : Future.succeededFuture();
      }));
  }

  /** Connects to a node. Deletes its socket if the connection fails because its process is dead. */
  @Override
  public Future<ControlPipe> connect(String name, int port, int timeoutMillis) {
    return reach(name, address -> connect(true, address, timeoutMillis))
      .recover(cause -> calls.result(() -> folder.removeDead(name) || !folder.lives(name)).compose(ended -> Future.failedFuture(ended
        ? new ConnectException("its process has ended")
        : new IOException("its socket does not answer, though its process is running: " + cause.getMessage(), cause))));
  }

  private <T> Future<T> reach(String name, Function<SocketAddress, Future<T>> call) {
    return Future.succeededFuture(name).map(folder::socket)
      .compose(socket -> ShortPath.fits(socket) ? Future.succeededFuture(socket) : calls.result(() -> ShortPath.of(socket)))
      .compose(path -> call.apply(domain(path)));
  }

  /** Has no limit per source, since only this user can connect. */
  @Override
  public int mostUnprovenOfOne() {
    return ControlLinks.MOST_UNPROVEN;
  }
}
