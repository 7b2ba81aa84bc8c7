package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.FileErrors;
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
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Connects the nodes of a {@link NodeFolder} by Unix sockets, across network namespaces. An address's host is a socket's name. */
final class FolderControl extends EventLoopControl {
  static final int PORT = 1;

  private final NodeFolder folder;
  private final BlockingCalls calls;
  private Handler<ControlPipe> accepted;
  private final Map<Path, Channel> listening = new ConcurrentHashMap<>();

  FolderControl(ContextInternal context, NodeFolder folder, BlockingCalls calls) {
    super(context, 0);
    this.folder = folder;
    this.calls = calls;
  }

  @Override
  public Future<Listening> listen(String host, int port, Handler<ControlPipe> handler) {
    accepted = handler;
    return rebind(() -> {
    }).recover(cause -> !listening.isEmpty() ? Future.succeededFuture() : calls.result(() -> Files.isWritable(folder.path()))
      .compose(isWritable -> Future.failedFuture(refusal(folder.path().resolve(folder.own()), cause, isWritable))))
      .map(v -> new Listening(PORT, () -> {
        accepted = null;
        return Future.join(listening.values().stream().map(FolderControl::close).toList()).mapEmpty();
      }));
  }

  static RdmaException refusal(Path socket, Throwable cause, boolean isWritable) {
    boolean isLimit = RuntimeFolder.isLimit(cause);
    return new RdmaException(isLimit ? Reason.LIMIT : Reason.UNSUPPORTED,
      "cannot listen on " + socket + " for other processes of this host: " + FileErrors.words(cause) + ". "
        + (isLimit || !isWritable ? RuntimeFolder.remedy(cause) : RuntimeFolder.PERMIT_SOCKETS) + '.',
      cause);
  }

  /** Binds this node's socket in each folder where it is missing, and calls a handler for each. Closes those of removed folders. */
  Future<Void> rebind(Runnable bound) {
    return calls.result(() -> {
      listening.forEach((socket, channel) -> {
        if (Files.notExists(socket.getParent()) && listening.remove(socket, channel)) {
          close(channel);
        }
      });
      return folder.folders();
    }).compose(all -> Future.join(all.stream().map(each -> calls.result(() -> folder.missing(each))
      .compose(missing -> missing.map(socket -> rebind(socket, bound)).orElseGet(Future::succeededFuture))).toList()).mapEmpty());
  }

  /** Closes the old socket first, because its close may delete the path. */
  private Future<Void> rebind(Path socket, Runnable bound) {
    Channel before = listening.remove(socket);
    return (before == null ? Future.<Void>succeededFuture() : close(before)).compose(v -> accepted == null ? Future.succeededFuture()
      : reach(() -> socket, address -> bind(true, address, accepted)).compose(made -> {
        listening.put(socket, made);
        bound.run();
        return accepted == null ? close(made) : Future.succeededFuture();
      }, cause -> Future.failedFuture(new FileSystemException(socket.toString(), null, JdkFailures.words(cause)).initCause(cause))));
  }

  /** Connects to a node. Deletes its socket if the connection fails because its process is dead. */
  @Override
  public Future<ControlPipe> connect(String name, int port, int timeoutMillis) {
    return calls.result(() -> folder.present(name)).compose(sockets -> connect(sockets, 0, timeoutMillis))
      .recover(cause -> calls.result(() -> folder.removeDead(name) || !folder.lives(name)).compose(ended -> Future.failedFuture(ended
        ? new ConnectException("its process has ended")
        : new IOException("its socket does not answer, though its process is running: " + cause.getMessage(), cause))));
  }

  /** A node may have bound a socket, and not listen on it yet. */
  private Future<ControlPipe> connect(List<Path> sockets, int at, int timeoutMillis) {
    Future<ControlPipe> connected = reach(() -> sockets.get(at), address -> connect(true, address, timeoutMillis));
    return at + 1 == sockets.size() ? connected : connected.recover(cause -> connect(sockets, at + 1, timeoutMillis));
  }

  private <T> Future<T> reach(Callable<Path> socket, Function<SocketAddress, Future<T>> call) {
    return calls.result(() -> ShortPath.of(socket.call())).compose(path -> call.apply(domain(path)));
  }

  /** Has no limit per source, since only this user can connect. */
  @Override
  public int mostUnprovenOfOne() {
    return ControlLinks.MOST_UNPROVEN;
  }
}
