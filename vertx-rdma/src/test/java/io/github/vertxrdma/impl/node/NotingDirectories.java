package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryBackendFactory;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.peers.AbstractDirectory;
import io.github.vertxrdma.impl.peers.ControlLinks;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Directories that record calls on event loops, and which directories are open at the same time. Their close takes a while. */
public final class NotingDirectories implements DirectoryBackendFactory {
  static final String TYPE = "noting";
  static final List<String> ON_EVENT_LOOPS = new CopyOnWriteArrayList<>();
  static final List<String> BESIDE_ANOTHER = new CopyOnWriteArrayList<>();
  private static final int CLOSE_MILLIS = 200;
  private static final AtomicInteger OPEN = new AtomicInteger();

  /** Called by the search for services. */
  public NotingDirectories() {
    note("it was looked for");
  }

  private static void note(String what) {
    if (Context.isOnEventLoopThread()) {
      ON_EVENT_LOOPS.add(what);
    }
  }

  @Override
  public String type() {
    return TYPE;
  }

  @Override
  public Future<DirectoryBackend> open(Vertx vertx, DirectoryOptions options) {
    Noting directory = new Noting(vertx);
    if (OPEN.incrementAndGet() > 1) {
      BESIDE_ANOTHER.add(directory.nodeId());
    }
    return Future.succeededFuture(directory);
  }

  private static final class Noting extends AbstractDirectory {
    Noting(Vertx vertx) {
      super(vertx, TYPE, "one");
    }

    @Override
    public String type() {
      return TYPE;
    }

    /** Called when the node is created. */
    @Override
    public void attach(ControlLinks control) {
      note("a node was made");
    }

    @Override
    protected Future<Void> store(DirectoryEntry entry) {
      return Future.succeededFuture();
    }

    @Override
    protected Future<Void> erase(DirectoryEntry entry) {
      return Future.succeededFuture();
    }

    @Override
    protected Future<Void> release() {
      return vertx.timer(CLOSE_MILLIS, TimeUnit.MILLISECONDS).<Void>mapEmpty().onComplete(done -> OPEN.decrementAndGet());
    }
  }
}
