package io.github.vertxrdma.grpc;

import io.vertx.core.http.HttpServerConfig;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.metrics.ClientMetrics;
import io.vertx.core.spi.metrics.HttpServerMetrics;
import io.vertx.core.spi.metrics.VertxMetrics;
import io.vertx.core.spi.observability.HttpRequest;
import io.vertx.core.spi.observability.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

final class NotingMetrics implements VertxMetrics {
  final List<Call> sent = new CopyOnWriteArrayList<>();
  final List<Call> served = new CopyOnWriteArrayList<>();
  final AtomicInteger closed = new AtomicInteger();

  static final class Call {
    final Map<String, String> tags = new ConcurrentSkipListMap<>();
    final AtomicInteger ends = new AtomicInteger();

    private void end() {
      ends.incrementAndGet();
    }

    private Call put(String name, Object value) {
      tags.put(name, String.valueOf(value));
      return this;
    }

    @Override
    public String toString() {
      return tags + (ends.get() == 1 ? "" : " ended " + ends + " times");
    }
  }

  private Call begin(List<Call> all, String side) {
    Call call = new Call().put("side", side);
    all.add(call);
    return call;
  }

  @Override
  public boolean isMetricsEnabled() {
    return true;
  }

  @Override
  public ClientMetrics<?, ?, ?> createClientMetrics(SocketAddress remote, String type, String namespace) {
    return new ClientMetrics<Call, Object, Object>() {
      @Override
      public Call init() {
        return begin(sent, type).put("remote", remote);
      }

      @Override
      public void requestBegin(Call call, String uri, Object request) {
        call.put("uri", uri);
      }

      @Override
      public void requestEnd(Call call, long bytes) {
        call.put("asked", bytes);
      }

      @Override
      public void responseBegin(Call call, Object response) {
        call.put("answering", true);
      }

      @Override
      public void responseEnd(Call call, long bytes) {
        call.put("answered", bytes).end();
      }

      @Override
      public void requestReset(Call call) {
        call.put("reset", true).end();
      }

      @Override
      public void close() {
        closed.incrementAndGet();
      }
    };
  }

  @Override
  public HttpServerMetrics<?, ?> createHttpServerMetrics(HttpServerConfig config, SocketAddress local, SocketAddress quic) {
    return new HttpServerMetrics<Call, Object>() {
      @Override
      public Call requestBegin(SocketAddress remote, HttpRequest request) {
        return begin(served, request.method().name()).put("uri", request.uri()).put("local", local);
      }

      @Override
      public void requestRouted(Call call, String route) {
        call.put("route", route);
      }

      @Override
      public void requestEnd(Call call, HttpRequest request, long bytes) {
        call.put("asked", bytes);
      }

      @Override
      public void responseBegin(Call call, HttpResponse response) {
        call.put("code", response.statusCode()).put("status", response.headers().get("grpc-status"));
      }

      @Override
      public void responseEnd(Call call, HttpResponse response, long bytes) {
        call.put("answered", bytes).end();
      }

      @Override
      public void requestReset(Call call) {
        call.put("reset", true).end();
      }

      @Override
      public void close() {
        closed.incrementAndGet();
      }
    };
  }
}
