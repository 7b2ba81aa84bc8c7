package io.github.vertxrdma.differential;

import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Writes rows in one verticle, and ends as the rows say. */
final class Writer extends VerticleBase {
  /** Time without progress after which the ending does not wait for writes to a paused reader any more. */
  private static final long PAUSED_MILLIS = 1500;

  private final JsonArray json;
  private final Ending ending;
  private final boolean paused;
  private final List<Traffic> rows = new ArrayList<>();
  private volatile long ended;

  Writer(JsonObject command) {
    this.json = command.getJsonArray("rows");
    this.ending = Ending.valueOf(command.getString("ending"));
    this.paused = ending == Ending.HALT_STOPPED
      || json.stream().anyMatch(row -> ((JsonObject) row).getString("reader").equals(Reader.PAUSED.name()));
  }

  /** Connects the clients unless the rows are to connect to a stopped reader. */
  @Override
  public Future<?> start() {
    for (Object row : json) {
      rows.add(new Traffic(vertx, (JsonObject) row));
    }
    return ending == Ending.CONNECT_STOPPED_5 ? Future.succeededFuture() : join(Traffic::connect);
  }

  @Override
  public Future<?> stop() {
    if (ended != 0) {
      Output.line("=stop " + new JsonObject().put("millis", millisOfEnd()));
    }
    if (ending != Ending.STOP_TRAFFIC) {
      return Future.succeededFuture();
    }
    Future<?> writes = join(Traffic::writeAll);
    written();
    return writes.compose(v -> join(row -> row.out.end())).transform(v -> Future.succeededFuture());
  }

  private void written() {
    JsonObject last = new JsonObject();
    rows.forEach(row -> last.put(Integer.toString(row.row), row.last()));
    Output.line("=written " + last);
  }

  private Future<?> join(Function<Traffic, Future<?>> action) {
    return Future.join(rows.stream().map(action).toList());
  }

  private long millisOfEnd() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - ended);
  }

  /** Returns the class of the channel that an application can see, or null. */
  String channel() {
    return rows.stream().map(row -> row.out.channel()).filter(Objects::nonNull).findFirst().orElse(null);
  }

  void run() {
    context.runOnContext(v -> write().onComplete(done -> end(ending)));
  }

  /** Writes awaited rows first, so that the others are written right before the ending. */
  private Future<?> write() {
    if (ending == Ending.STOP_TRAFFIC) {
      return Future.succeededFuture();
    }
    if (ending == Ending.READER_CLOSES) {
      return join(Traffic::writeAll).compose(v -> join(row -> row.out.end())).compose(v -> join(this::awaitAnswer));
    }
    if (ending == Ending.CONNECT_STOPPED_5) {
      return join(row -> row.connect().onComplete(done -> Output.line("=connected " + new JsonObject().put("row", row.row)))
        .compose(v -> row.writeAll())).transform(v -> Future.succeededFuture());
    }
    Future<?> awaited = Future.join(rows.stream().filter(row -> row.load.awaited()).map(Traffic::writeAll).toList())
      .transform(v -> Future.succeededFuture());
    return (paused ? quiet(awaited, -1) : awaited)
      .onComplete(v -> rows.stream().filter(row -> !row.load.awaited()).forEach(Traffic::writeAll));
  }

  /** Waits for writes until none has completed for some time. @param before number that had completed before */
  private Future<?> quiet(Future<?> writes, int before) {
    return Future.any(writes, vertx.timer(PAUSED_MILLIS)).transform(v -> {
      int now = rows.stream().mapToInt(Traffic::ended).sum();
      return writes.isComplete() || now == before ? Future.succeededFuture() : quiet(writes, now);
    });
  }

  private Future<?> awaitAnswer(Traffic row) {
    return row.out.answer.future().transform(done -> {
      Output.line(done.succeeded() ? "!" + row.row + " answer" : "!" + row.row + " no answer " + done.cause());
      return Future.succeededFuture();
    });
  }

  /** Writes from time to time until {@link #finish}. */
  void startSteady() {
    context.runOnContext(v -> rows.forEach(row -> row.start(vertx)));
  }

  void finish() {
    context.runOnContext(v -> join(row -> row.stop(vertx)).onComplete(done -> end(Ending.VERTX_CLOSE)));
  }

  void writeOnce() {
    context.runOnContext(v -> join(Traffic::writeAll).onComplete(done -> Output.line("=wrote {}")));
  }

  /** Connects to the next reader, repeatedly until it answers. */
  void reconnect() {
    context.runOnContext(v -> join(row -> again(row, 100)).onComplete(done -> Output.line("=reconnected {}")));
  }

  private Future<?> again(Traffic row, int attempts) {
    return row.connect().recover(cause -> attempts == 0 ? Future.failedFuture(cause)
      : vertx.timer(100).compose(v -> again(row, attempts - 1).mapEmpty()));
  }

  private void end(Ending how) {
    if (how.isGraceful() && how != Ending.STOP_TRAFFIC) {
      written();
    }
    ended = System.nanoTime();
    switch (how) {
      case EXIT -> new Thread(() -> System.exit(0)).start();
      case HALT, HALT_STOPPED -> Runtime.getRuntime().halt(0);
      case KILL, TERM, TERM_HOOK -> Output.line("=due {}");
      case CLOSE -> closeAll(Outbound::close);
      case SHUTDOWN -> closeAll(Outbound::shutdown);
      case UNDEPLOY -> {
        rows.forEach(row -> row.out.end());
        vertx.undeploy(deploymentID()).onComplete(done -> ended(done.cause()));
      }
      default -> {
        if (how != Ending.STOP_TRAFFIC) {
          rows.forEach(row -> row.out.end());
        }
        vertx.close().onComplete(done -> {
          ended(done.cause());
          new Thread(() -> System.exit(0)).start();
        });
      }
    }
  }

  private void closeAll(Function<Outbound, Future<?>> close) {
    join(row -> {
      row.out.end();
      return close.apply(row.out);
    }).onComplete(done -> ended(done.cause()));
  }

  /** Called by a shutdown hook. */
  void hook() {
    ended = System.nanoTime();
  }

  private void ended(Throwable cause) {
    Output.line("=ended " + new JsonObject().put("millis", millisOfEnd()).put("failure", cause == null ? null : cause.toString()));
  }
}
