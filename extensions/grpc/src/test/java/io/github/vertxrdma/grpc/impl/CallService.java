package io.github.vertxrdma.grpc.impl;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpc.server.GrpcServerResponse;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** An application that serves one call, and checks it. */
final class CallService {
  final int id;
  final CallNode node;
  private final CallConversation world;
  private final SplittableRandom random;
  private final GrpcServerRequest<Buffer, Buffer> call;
  private final GrpcServerResponse<Buffer, Buffer> response;
  private final CallTalk.Kind kind;
  private int heard;
  private int answers;
  private boolean over;
  private boolean inputOver;

  /** @param id 0 for a call of {@link CallLiar} */
  CallService(CallConversation world, CallNode node, int id, GrpcServerRequest<Buffer, Buffer> call, SplittableRandom random) {
    this.world = world;
    this.node = node;
    this.id = id;
    this.call = call;
    this.response = call.response();
    this.random = random;
    this.kind = CallTalk.Kind.valueOf(call.methodName());
  }

  boolean isOver() {
    return over;
  }

  @Override
  public String toString() {
    return "service " + kind + " of call " + id + " at " + node.name;
  }

  void serve() {
    // An end may still wait for the client to read.
    call.errorHandler(error -> over = true);
    call.exceptionHandler(cause -> inputOver());
    response.setWriteQueueMaxSize(1 + random.nextInt(4));
    reader(message -> {});
    switch (kind) {
      case Echo, Once -> reader(message -> later(() -> end(message)));
      case Chat -> {
        reader(response::write);
        call.endHandler(v -> {
          inputOver();
          end(null);
        });
      }
      case Sum, Slow -> {
        reader(message -> {
          if (kind == CallTalk.Kind.Slow) {
            later(() -> call.fetch(1));
          }
        });
        call.endHandler(v -> {
          inputOver();
          end(Buffer.buffer(id + ":0:" + heard));
        });
        if (kind == CallTalk.Kind.Slow) {
          call.pause();
          later(() -> call.fetch(1));
        }
      }
      case Many -> {
        response.drainHandler(v -> many());
        many();
      }
      case Never -> {
      }
      case Large -> end(Buffer.buffer(new byte[CallConversation.LARGEST + 1]));
      case Refuse -> {
        over = true;
        response.status(GrpcStatus.NOT_FOUND).end();
      }
      case Throw -> {
        over = true;
        throw new IllegalArgumentException("thrown");
      }
      case Leave -> later(() -> {
        if (!over) {
          response.cancel();
        }
      });
      default -> throw new IllegalStateException();
    }
  }

  private void inputOver() {
    if (inputOver) {
      world.violated(this + " hears the end of its messages twice");
    }
    inputOver = true;
  }

  private void reader(Handler<Buffer> then) {
    call.handler(message -> {
      world.taken(id, 1);
      if (id != 0 && !message.toString().startsWith(id + ":" + heard + ":")) {
        world.violated(this + " heard " + message + " where " + heard + " was due");
      }
      heard++;
      if (inputOver) {
        world.violated(this + " heard a message after the end");
      }
      if (!over) {
        then.handle(message);
      }
    });
  }

  /** Writes as many messages as the client of this call. */
  private void many() {
    int count = world.countOf(id);
    while (!over && answers < count && !response.writeQueueFull()) {
      response.write(Buffer.buffer(id + ":" + answers++ + ":"));
    }
    if (answers == count) {
      answers++;
      end(null);
    }
  }

  private void end(Buffer message) {
    if (!over) {
      over = kind != CallTalk.Kind.Large;
      if (message == null) {
        response.end();
      } else {
        response.end(message);
      }
    }
  }

  private void later(Runnable task) {
    long nanos = random.nextLong(TimeUnit.MILLISECONDS.toNanos(1 + random.nextInt(20)));
    world.time.after(nanos, () -> node.context.runOnContext(v -> task.run()));
  }
}
