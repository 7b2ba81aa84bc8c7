package io.vertx.core.impl;

/** Stands for the class of Vert.x 4 while service classes are compiled. No jar contains it. */
public class VertxBuilder {
}
