package io.github.vertxrdma.grpc.impl;

import io.github.vertxrdma.grpc.RdmaGrpcClient;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcErrorException;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** An application that makes one call, and checks it. */
final class CallTalk {
  static final String ID = "id";
  private static final ServiceName SERVICE = ServiceName.create("a.Service");

  enum Kind {
    Echo, Once, Chat, Many, Sum, Slow, Never, Large, Refuse, Throw, Leave
  }

  final int id;
  final Kind kind;
  final CallNode node;
  final int count;
  final boolean toLiar;
  private final CallConversation world;
  private final SplittableRandom random;
  private final long timeout;
  /** True if the request is sent in one frame, as by generated stubs. Only such a call is repeated. */
  private final boolean whole;
  private GrpcClientRequest<Buffer, Buffer> request;
  private long began;
  private int written;
  private int heard;
  private int ends;
  private boolean cancelled;
  private boolean fetching;

  CallTalk(CallConversation world, int id, CallNode node, boolean toLiar, SplittableRandom random) {
    this.world = world;
    this.id = id;
    this.node = node;
    this.toLiar = toLiar;
    this.random = random;
    this.kind = Kind.values()[random.nextInt(Kind.values().length)];
    this.count = kind == Kind.Echo || kind == Kind.Once || random.nextInt(3) == 0 ? 1 : random.nextInt(30);
    this.whole = (kind == Kind.Echo || kind == Kind.Once) && random.nextInt(4) > 0;
    this.timeout = kind == Kind.Never && !toLiar || random.nextInt(3) == 0 ? 1 + random.nextLong(TimeUnit.MILLISECONDS.toNanos(60))
      : random.nextInt(4) == 0 ? TimeUnit.HOURS.toNanos(1) : 0;
  }

  boolean isOver() {
    return ends > 0;
  }

  @Override
  public String toString() {
    return "call " + id + " of " + kind + " by " + node.name + (toLiar ? " to the liar" : "");
  }

  /** Called on the context of the client's node. */
  void start(RdmaGrpcClient client) {
    client.request(RdmaGrpcClient.address(toLiar ? CallConversation.LIAR : CallConversation.NAME),
      ServiceMethod.client(SERVICE, kind.name(), GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY)).onComplete((made, cause) -> {
        if (cause != null) {
          ended(null, cause);
        } else {
          call(made);
        }
      });
  }

  private void call(GrpcClientRequest<Buffer, Buffer> made) {
    request = made;
    request.headers().set(ID, Integer.toString(id));
    if (timeout > 0) {
      request.timeout(timeout, TimeUnit.NANOSECONDS);
    }
    began = world.time.now();
    request.setWriteQueueMaxSize(1 + random.nextInt(4));
    request.drainHandler(v -> write());
    request.response().onComplete((response, cause) -> {
      if (cause != null) {
        ended(null, cause);
      } else {
        read(response);
      }
    });
    write();
    if (random.nextInt(4) == 0) {
      later(() -> {
        if (ends == 0) {
          cancelled = true;
          request.cancel();
        }
      });
    }
  }

  private void later(Runnable task) {
    world.time.after(random.nextLong(TimeUnit.MILLISECONDS.toNanos(1 + random.nextInt(30))),
      () -> node.context.runOnContext(v -> task.run()));
  }

  private void write() {
    try {
      if (whole && written == 0) {
        written = count + 1;
        request.end(message(0));
      }
      while (written < count && !request.writeQueueFull()) {
        request.write(message(written++));
      }
      if (written == count) {
        written++;
        request.end();
      }
    } catch (IllegalStateException e) {
      // The call has failed, which its response reports.
      written = count + 1;
    }
  }

  private Buffer message(int number) {
    return Buffer.buffer(id + ":" + number + ":" + "x".repeat(random.nextInt(200)));
  }

  private void read(GrpcClientResponse<Buffer, Buffer> response) {
    response.exceptionHandler(cause -> ended(null, cause)).endHandler(v -> ended(response.status(), null)).handler(message -> {
      world.taken(id, 0);
      if (!toLiar) {
        String[] words = message.toString().split(":", 3);
        if (!words[0].equals(Integer.toString(id)) || Integer.parseInt(words[1]) != heard) {
          world.violated(this + " heard " + message + " where " + heard + " was due");
        }
      }
      heard++;
      if (ends > 0) {
        world.violated(this + " heard a message after its end");
      }
      if (fetching) {
        later(() -> response.fetch(1));
      }
    });
    if (random.nextInt(3) == 0) {
      fetching = true;
      response.pause();
      later(() -> response.fetch(1));
    }
  }

  private void ended(GrpcStatus status, Throwable cause) {
    if (ends++ > 0) {
      world.violated(this + " ended twice, at last by " + (cause == null ? status : cause));
    }
    GrpcStatus with = status == null && cause instanceof GrpcErrorException failure ? failure.status() : status;
    world.ended(this, with, cause);
    if (toLiar || node.dead) {
      return;
    }
    if (with == GrpcStatus.OK) {
      int due = switch (kind) {
        case Echo, Once, Sum, Slow -> 1;
        case Chat, Many -> count;
        default -> -1;
      };
      if (heard != due) {
        world.violated(this + " ended well with " + heard + " messages of " + due);
      }
    } else if (!isExplained(with)) {
      world.violated(this + " ended with " + with + ", for no reason: " + cause);
    }
  }

  private boolean isExplained(GrpcStatus with) {
    if (with == null || with == GrpcStatus.UNAVAILABLE) {
      return world.mayBeUnavailable(!whole);
    }
    return switch (with) {
      case DEADLINE_EXCEEDED -> timeout > 0 && world.time.now() - began >= timeout;
      case CANCELLED -> cancelled || kind == Kind.Leave;
      case RESOURCE_EXHAUSTED -> kind == Kind.Large;
      case NOT_FOUND -> kind == Kind.Refuse;
      case UNKNOWN -> kind == Kind.Throw;
      default -> false;
    };
  }
}
