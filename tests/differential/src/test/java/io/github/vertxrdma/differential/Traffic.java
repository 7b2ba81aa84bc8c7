package io.github.vertxrdma.differential;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Writes the numbered messages of one row. Confined to its context. */
final class Traffic {
  private static final long WAIT_MILLIS = 50;
  private static final int WAITS = 400;

  final int row;
  final Kind kind;
  final Load load;
  final Outbound out;
  private int last;
  private long timer = -1;
  private int pending;

  Traffic(Vertx vertx, JsonObject json) {
    this.row = json.getInteger("index");
    this.kind = Kind.valueOf(json.getString("kind"));
    this.load = Load.parse(json.getString("load"));
    this.last = json.getInteger("last", 0);
    this.out = Outbound.of(vertx, kind, row, json.getString("host", "127.0.0.1"), json.getInteger("port", 0));
  }

  /** Connects and writes message 0, unless a file is to be the response's only content. */
  Future<?> connect() {
    return load.file() && kind.isDialledByReader() ? out.connect()
      : out.connect().compose(v -> out.write(Buffer.buffer(Messages.bytes(row, 0, load.size()))));
  }

  int last() {
    return last;
  }

  /** Returns the number of writes that have completed or failed. */
  int ended() {
    return last - pending;
  }

  /** Writes all messages at once, or one after the other if the buffer is reused. Completes after the last write. */
  Future<?> writeAll() {
    if (load.file()) {
      return writeFile();
    }
    if (load.reused()) {
      Promise<Void> all = Promise.promise();
      writeReused(Buffer.buffer(new byte[load.size()]), load.count(), all);
      return all.future();
    }
    List<Future<?>> writes = new ArrayList<>();
    for (int i = 0; i < load.count(); i++) {
      writes.add(writeNext());
    }
    return Future.join(writes);
  }

  private Future<?> writeNext() {
    last++;
    return note(last, 1, out.write(Buffer.buffer(Messages.bytes(row, last, load.size()))));
  }

  private Future<?> note(int number, int count, Future<?> write) {
    pending++;
    return write.onComplete(done -> {
      pending--;
      for (int i = number; i < number + count; i++) {
        Output.line(done.succeeded() ? "+" + row + ' ' + i : "-" + row + ' ' + i + ' ' + done.cause());
      }
    });
  }

  private void writeReused(Buffer buffer, int left, Promise<Void> all) {
    if (left == 0) {
      all.complete();
      return;
    }
    last++;
    Messages.fill(buffer, row, last);
    note(last, 1, out.write(buffer)).onComplete(done -> {
      if (done.failed()) {
        all.fail(done.cause());
      } else {
        writeReused(buffer, left - 1, all);
      }
    });
  }

  private Future<?> writeFile() {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (int i = 1; i <= load.count(); i++) {
      content.writeBytes(Messages.bytes(row, i, load.size()));
    }
    last = load.count();
    try {
      Path file = Files.createTempFile("differential", ".bytes");
      file.toFile().deleteOnExit();
      Files.write(file, content.toByteArray());
      return note(1, load.count(), out.sendFile(file.toString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes a message from time to time, until {@link #stop}. */
  void start(Vertx vertx) {
    if (!load.isIdle()) {
      timer = vertx.setPeriodic(load.size() <= 1000 ? 25 : load.size() <= 100_000 ? 100 : 1000, id -> writeNext());
    }
  }

  /** Completes when all writes have completed, or after some time. */
  Future<?> stop(Vertx vertx) {
    vertx.cancelTimer(timer);
    return load.isIdle() ? writeAll().transform(done -> Future.succeededFuture()) : idle(vertx, WAITS);
  }

  private Future<?> idle(Vertx vertx, int left) {
    return pending == 0 || left == 0 ? Future.succeededFuture() : vertx.timer(WAIT_MILLIS).compose(v -> idle(vertx, left - 1).mapEmpty());
  }
}
