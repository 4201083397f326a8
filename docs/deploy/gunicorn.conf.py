bind = "unix:/run/shop/gunicorn.sock"
preload_app = True  # the client and the verifier are made once; they go on to work in each worker
workers = 2
worker_class = "gthread"
threads = 8  # calls release the GIL: payments of one worker wait for the service side by side
timeout = 60  # more than a call's deadline (30 s unless set)
graceful_timeout = 35
