package io.github.vertxrdma.page.impl;

import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Lets those in who know the token: by {@code Authorization: Bearer}, by {@code ?token=}, or by the cookie that a browser gets for that, so
 * that the token stays neither in its address line nor in its history. With a server of the page's own they must also call it by
 * its address, {@code localhost} or the name that it was given: another site's name that leads here makes a browser take this page for that
 * site's.
 */
public final class Gate {
  private static final String BEARER = "Bearer ";
  private static final int RANDOM_BYTES = 16;

  private final String token;
  private final String host;
  private final byte[] bytes;
  /** Cookies are shared by all ports of a host, and so by several pages there. */
  private final String cookie;

  /**
   * @param token null for a random one
   * @param host what the server is called, beside its address and localhost; null if it may be called anything
   */
  public Gate(String token, String host) {
    this.host = host;
    this.token = token == null ? random() : token;
    this.bytes = this.token.getBytes(StandardCharsets.UTF_8);
    this.cookie = "vertx-rdma-" + digest().substring(0, 8);
  }

  public String token() {
    return token;
  }

  private static String random() {
    byte[] random = new byte[RANDOM_BYTES];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  /** The value that a cookie carries in place of the token, which may have characters that a cookie may not. */
  private String digest() {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean equal(String given, String right) {
    return given != null && MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));
  }

  /** Answers who may not come in, and sends who came with the token in the URL to the URL without it. */
  void handle(RoutingContext context) {
    if (host != null && !isOwn(context.request().authority())) {
      context.response().setStatusCode(403).putHeader(HttpHeaders.CONTENT_TYPE, "text/plain; charset=utf-8")
        .end("This page is served by its address, by localhost, and by the host in RdmaPageOptions, not by another name.\n");
      return;
    }
    String header = context.request().getHeader(HttpHeaders.AUTHORIZATION);
    Cookie carried = context.request().getCookie(cookie);
    String parameter = context.queryParams().get("token");
    boolean known = equal(parameter, token) || carried != null && equal(carried.getValue(), digest())
      || header != null && header.startsWith(BEARER) && equal(header.substring(BEARER.length()), token);
    if (!known) {
      refuse(context, parameter != null);
    } else if (parameter != null && context.normalizedPath().endsWith("/")) {
      context.response().addCookie(Cookie.cookie(cookie, digest()).setHttpOnly(true).setSameSite(CookieSameSite.LAX)
        .setSecure(context.request().isSSL()).setPath(context.normalizedPath()));
      context.response().setStatusCode(303).putHeader(HttpHeaders.LOCATION, context.normalizedPath()).end();
    } else {
      context.next();
    }
  }

  /** Whether a browser that asks there cannot have been led here by another site's name. */
  private boolean isOwn(HostAndPort authority) {
    if (authority == null) {
      return false;
    }
    String name = authority.host();
    if (name.equalsIgnoreCase("localhost") || name.equalsIgnoreCase(host)) {
      return true;
    }
    try {
      InetAddress.ofLiteral(name.startsWith("[") && name.endsWith("]") ? name.substring(1, name.length() - 1) : name);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static void refuse(RoutingContext context, boolean wrong) {
    context.response().setStatusCode(403).putHeader(HttpHeaders.CONTENT_TYPE, "text/html; charset=utf-8")
      .end(Resource.text("token.html").replace("{{words}}",
        wrong ? "That is not the token." : "The page of this cluster asks for its token."));
  }
}
